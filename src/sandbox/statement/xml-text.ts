const ESCAPES: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;'};

/** A text between tags, without the characters that XML does not allow. */
export const xmlText = (text: string): string =>
  text
    .replaceAll(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?');
