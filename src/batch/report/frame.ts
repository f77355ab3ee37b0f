import {createHash} from 'node:crypto';
import {escapeText, type Markup} from '../../html/markup.ts';
import type {Plan} from '../model/plan-facts.ts';

/** Near the top of the file. It identifies the batch of a page before the page is replaced. */
const JOURNAL_MARK = 'remit-journal';

export const journalMark = ({journalId}: Plan): string =>
  `<meta name="${JOURNAL_MARK}" content="${escapeText(journalId)}">`;

/** Allows only this style: nothing is loaded, sent or run. */
const policyOf = (style: string): string =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** A page about a batch as one HTML file that loads nothing and has no script. */
export const fileFrame = ({
  title,
  plan,
  style,
  body,
}: {
  title: string;
  plan: Plan;
  style: string;
  body: Markup;
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${journalMark(plan)}
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
