/** The few styles that we use; the codes need no package. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  liveBanner: [41, 49],
} as const;
export type Style = keyof typeof CODES;
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_style, text) => text;
export const ansiPaint: Paint = (style, text) =>
  `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m`;

/** Precedence: flag, NO_COLOR, FORCE_COLOR, the terminal. An empty variable counts as unset. */
export function wantsColour(facts: {
  setting: 'auto' | 'never';
  env: Readonly<Record<string, string | undefined>>;
  isTerminal: boolean;
}): boolean {
  if (facts.setting === 'never' || facts.env['NO_COLOR']) return false;
  const forced = facts.env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return facts.isTerminal && facts.env['TERM'] !== 'dumb';
}
