import type {Node, Tree} from './tree.ts';

/**
 * What a script needs to know of one command, as lines of four fields with tabs between them; no field is empty:
 *   w  word    -       summary    a word that may follow
 *   f  names   source  summary    a flag; its names with commas between them
 *   a  -       source  -          an argument
 *   r  -       source  -          an argument that may be repeated
 */
function nodeLines({words, flags, args, repeats}: Node): string {
  return [
    ...words.map(({word, summary}) => line('w', word, '-', summary)),
    ...flags.map(({names, source, summary}) => line('f', names.join(','), source, summary)),
    ...args.map((source, at) => line(repeats && at === args.length - 1 ? 'r' : 'a', '-', source, '-')),
  ].join('\n');
}

const line = (...fields: readonly string[]): string =>
  fields.map((field) => field.replaceAll(/[\t\n]+/g, ' ') || '-').join('\t');

/** The lines of each command that has any, by its words. */
export const dataOf = ({nodes}: Tree): readonly (readonly [path: string, lines: string])[] =>
  nodes.map((node) => [node.path, nodeLines(node)] as const).filter(([, lines]) => lines !== '');

/** The flags of every command. */
export const globalLines = ({globals}: Tree): string =>
  globals.map(({names, source, summary}) => line('f', names.join(','), source, summary)).join('\n');

/** A word in single quotes, for shells in which a quote ends them. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
