const ANSI = /\u001b\[[0-9;]*m/g;
/** East Asian wide forms and emoji: two cells each. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const COMBINING = /\p{M}|\u200d/u;

/** Cells that a text takes on a terminal; our own colour codes take none. */
export function cellWidth(text: string): number {
  const bare = text.replace(ANSI, '');
  if (/^[\x20-\x7e]*$/.test(bare)) return bare.length;
  let cells = 0;
  for (const character of bare) cells += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return cells;
}

/** Cuts to `cells`, the last of them an ellipsis; colour codes are dropped from a text that is cut. */
export function cutTo(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  let kept = '';
  for (const character of text.replace(ANSI, '')) {
    if (cellWidth(kept + character) > cells - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
