import {PASS_FLAGS, reader} from './posix.ts';
import type {Tree} from './tree.ts';

/** For bash 3.2 and newer. Dynamic values are never expanded by the shell: `compgen -W` would run what is in them. */
export const bashScript = (tree: Tree): string => `${reader(tree)}
${FUNCTIONS}`;

const FUNCTIONS =
  String.raw`# Sets source to where the values of flag $1 come from; empty if there is no such flag.
_remit_flag() {
  local type names from rest
  source=
  while IFS=$'\t' read -r type names from rest; do
    if [[ $type == f && ",$names," == *",$1,"* ]]; then source=$from; return; fi
  done <<< "$_remit_node"$'\n'"$_remit_global"
}

_remit_offer() {
  if [[ $1 == "$cur"* ]]; then COMPREPLY+=("$(printf '%q' "$1")"); fi
}

# Offers the values of source $1.
_remit_values() {
  local value rest
  case $1 in
  =*)
    local -a values
    IFS='|' read -r -a values <<< "\${1#=}"
    for value in "\${values[@]}"; do _remit_offer "$value"; done
    ;;
  @*)
    compopt -o nosort 2> /dev/null
    while IFS=$'\t' read -r value rest; do
      _remit_offer "$value"
    done < <(remit __complete "\${1#@}" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2> /dev/null)
    ;;
  %file) compopt -o default 2> /dev/null || while read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$cur") ;;
  %folder) compopt -o plusdirs 2> /dev/null || while read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$cur") ;;
  esac
}

_remit() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path= pending= ended= source _remit_node
  local at word type names from rest count=0 seen=0
  COMPREPLY=()
  _remit_read ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ $word == '=' ]]; then continue; fi
${PASS_FLAGS}
    if ((count == 0)) && [[ $'\n'$_remit_node == *$'\nw\t'"$word"$'\t'* ]]; then
      path=\${path:+$path }$word
      _remit_read "$path"
    else
      ((count++))
    fi
  done
  if [[ $cur == '=' ]]; then cur=; fi
  if [[ -n $pending ]]; then _remit_values "$pending"; return; fi
  if [[ -z $ended && $cur == --*=* ]]; then # only if = does not separate words
    _remit_flag "\${cur%%=*}"
    word=\${cur%%=*}=
    cur=\${cur#*=}
    _remit_values "$source"
    COMPREPLY=("\${COMPREPLY[@]/#/$word}")
    return
  fi
  if [[ -n $ended || $cur != -* ]]; then
    while IFS=$'\t' read -r type names from rest; do
      case $type in
      w) if ((count == 0)); then _remit_offer "$names"; fi ;;
      a) if ((seen++ == count)); then _remit_values "$from"; fi ;;
      r) if ((count >= seen)); then _remit_values "$from"; fi ;;
      esac
    done <<< "$_remit_node"
    if [[ -n $cur || -n $ended || \${#COMPREPLY[@]} -gt 0 || ($'\n'$_remit_node == *$'\n'[awr]$'\t'*) ]]; then return; fi
  fi
  while IFS=$'\t' read -r type names from rest; do
    if [[ $type == f ]]; then _remit_offer "\${names%%,*}"; fi
  done <<< "$_remit_node"$'\n'"$_remit_global"
}

complete -F _remit remit
`.replaceAll('\\${', '${');
