import {createHash} from 'node:crypto';
import {escapeText, markup, type Markup} from './markup.ts';

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b57b0"/><path d="M4 11V5h4.5a2 2 0 0 1 0 4H6.5L10 11" fill="none" stroke="#fff" stroke-width="1.6"/></svg>`;

export interface PageParts {
  title: string;
  style: string;
  /** Path of the icon. */
  icon: string;
  /** Path of the page's script; most pages have none. */
  script?: string | undefined;
  body: Markup;
}

/**
 * A complete page. Its style is inline and allowed by its hash, see `pageHeaders`; a script is a file of the same
 * origin.
 */
export const pageFrame = ({title, style, icon, script, body}: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<link rel="icon" href="${escapeText(icon)}" type="image/svg+xml">
<style>${style}</style>${script === undefined ? '' : markup`\n<script src="${script}" defer></script>`.text}
</head>
<body>
${body.text}
</body>
</html>
`;

/**
 * Headers of every answer of a page server. They allow one style, by its hash, the icon, and forms to the same
 * origin, and a script with its requests only if the page has one.
 */
export const pageHeaders = ({style, script = false}: {style: string; script?: boolean}) => ({
  'cache-control': 'no-store',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
    (script ? `script-src 'self'; connect-src 'self'; ` : '') +
    `img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Not no-referrer: browsers would then send the page's own forms with `Origin: null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});
