import {PASS_FLAGS, reader} from './posix.ts';
import type {Tree} from './tree.ts';

/** For zsh 5: as a file named _remit in fpath, or sourced. */
export const zshScript = (tree: Tree): string => `#compdef remit
${reader(tree)}
${FUNCTIONS}`;

const FUNCTIONS =
  String.raw`# Sets source to where the values of flag $1 come from; empty if there is no such flag.
_remit_flag() {
  local line
  local -a fields
  source=
  for line in "\${(@f)_remit_node}" "\${(@f)_remit_global}"; do
    fields=("\${(@ps:\t:)line}")
    if [[ $fields[1] == f && ",$fields[2]," == *",$1,"* ]]; then source=$fields[3]; return; fi
  done
}

# Offers the values of source $1.
_remit_values() {
  local line
  local -a values fields
  case $1 in
  '='*) values=("\${(@s:|:)\${1#=}}"); compadd -a values ;;
  '@'*)
    for line in "\${(@f)$(remit __complete "\${1#@}" "\${(@Q)words[2,CURRENT-1]}" 2> /dev/null)}"; do
      fields=("\${(@ps:\t:)line}")
      if [[ -n $fields[1] ]]; then values+=("\${fields[1]//:/\\:}:$fields[2]"); fi
    done
    _describe -V value values
    ;;
  '%file') _files ;;
  '%folder') _files -/ ;;
  esac
}

_remit() {
  local cur=\${words[CURRENT]} cmd= pending= ended= source= _remit_node line word
  local -a fields offered
  local at count=0 seen=0
  _remit_read ''
  for ((at = 2; at < CURRENT; at++)); do
    word=\${(Q)words[at]}
${PASS_FLAGS}
    if ((count == 0)) && [[ $'\n'$_remit_node == *$'\nw\t'"$word"$'\t'* ]]; then
      cmd=\${cmd:+$cmd }$word
      _remit_read "$cmd"
    else
      ((count++))
    fi
  done
  if [[ -n $pending ]]; then _remit_values "$pending"; return; fi
  if [[ -z $ended && $cur == --*=* ]]; then
    _remit_flag "\${cur%%=*}"
    compset -P '*='
    _remit_values "$source"
    return
  fi
  if [[ -n $ended || $cur != -* ]]; then
    for line in "\${(@f)_remit_node}"; do
      fields=("\${(@ps:\t:)line}")
      case $fields[1] in
      w) if ((count == 0)); then offered+=("$fields[2]:$fields[4]"); fi ;;
      a) if ((seen++ == count)); then _remit_values "$fields[3]"; fi ;;
      r) if ((count >= seen)); then _remit_values "$fields[3]"; fi ;;
      esac
    done
    if (($#offered > 0)); then _describe command offered; fi
    if [[ -n $cur || -n $ended || $'\n'$_remit_node == *$'\n'[awr]$'\t'* ]]; then return; fi
  fi
  for line in "\${(@f)_remit_node}" "\${(@f)_remit_global}"; do
    fields=("\${(@ps:\t:)line}")
    if [[ $fields[1] == f ]]; then offered+=("\${fields[2]%%,*}:$fields[4]"); fi
  done
  _describe -o flag offered
}

if [[ $funcstack[1] == _remit ]]; then
  _remit "$@"
else
  if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
  compdef _remit remit
fi
`.replaceAll('\\${', '${');
