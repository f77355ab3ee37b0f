import {createHash} from 'node:crypto';
import {escapeText, type Markup} from './markup.ts';

/** Allows only this style: nothing is loaded, sent or run. */
const policyOf = (style: string): string =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** A mark near the top of a file. It shows what the file is about before the file is replaced. */
export const documentMark = (name: string, content: string): string =>
  `<meta name="${escapeText(name)}" content="${escapeText(content)}">`;

/** A page as one HTML file that loads nothing and has no script. */
export const documentFrame = ({
  title,
  mark,
  style,
  body,
}: {
  title: string;
  /** See `documentMark`. */
  mark: string;
  style: string;
  body: Markup;
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${mark}
<meta http-equiv="Content-Security-Policy" content="${policyOf(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
${body.text}
</body>
</html>
`;
