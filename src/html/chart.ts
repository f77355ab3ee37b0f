import {markup, type Markup} from './markup.ts';

/** The area of a chart that holds the data, in the units of its viewBox. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A coordinate as text, to a tenth of a pixel. */
export const px = (n: number): string => String(Math.round(n * 10) / 10);

/** `1234567` becomes `1,234,567`. */
// eslint-disable-next-line regexp/no-super-linear-move -- a number has at most 25 characters
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** A horizontal line across the plot, with its label to the left. */
export const gridLine = (label: string, y: number, {left, right}: Plot): Markup =>
  markup`<line x1="${left}" x2="${right}" y1="${px(y)}" y2="${px(y)}"/><text x="${left - 6}" y="${px(y)}" dy="4" text-anchor="end">${label}</text>`;

/** The smallest of 1, 2, 5, 10, 20, 50 and so on that is at least `rough`. */
export function roundStep(rough: number): number {
  if (rough <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5].map((n) => n * power).find((step) => step >= rough) ?? 10 * power;
}
