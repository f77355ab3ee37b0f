import {dataOf, globalLines, quoted} from './data.ts';
import type {Tree} from './tree.ts';

/** For bash and zsh: the lines of the flags of every command, and a function that sets `_remit_node` to those of a command. */
export function reader(tree: Tree): string {
  const cases = dataOf(tree).map(([path, lines]) => `  ${quoted(path)}) _remit_node=${quoted(lines)} ;;\n`);
  return `_remit_global=${quoted(globalLines(tree))}

_remit_read() {
  _remit_node=
  case $1 in
${cases.join('')}  esac
}
`;
}

/** For bash and zsh, in the loop over the words: goes on with the next one after a flag, its value, or `--`. */
export const PASS_FLAGS = `\
    if [[ -n $pending ]]; then pending=; continue; fi
    if [[ -z $ended && $word == -- ]]; then ended=1; continue; fi
    if [[ -z $ended && $word == -?* ]]; then
      if [[ $word == *=* ]]; then continue; fi
      _remit_flag "$word"
      if [[ -n $source && $source != - ]]; then pending=$source; fi
      continue
    fi`;
