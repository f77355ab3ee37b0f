import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';

/*
 * The scripts that the shells load. They know no commands: each press of the completion key starts the launcher's small
 * part, which prints the candidates (callback.ts), so that a script stays right after an update of remit. No shell ever
 * expands what it prints.
 */

/** The script for bash 3.2 and newer. A candidate is quoted, since `compgen -W` would run what is in it. */
const BASH = String.raw`_remit() {
  local cursor=${'$'}{COMP_WORDS[COMP_CWORD]} line value
  COMPREPLY=()
  compopt -o nosort 2> /dev/null
  while IFS= read -r line; do
    value=${'$'}{line%%$'\t'*}
    case $line in
    $'\tfile') compopt -o default 2> /dev/null || while read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$cursor") ;;
    $'\tfolder') compopt -o plusdirs 2> /dev/null || while read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$cursor") ;;
    *) if [[ $cursor == '=' || $value == "$cursor"* ]]; then COMPREPLY+=("$(printf '%q' "$value")"); fi ;;
    esac
  done < <(remit __complete "=$cursor" "${'$'}{COMP_WORDS[@]:1:COMP_CWORD-1}" 2> /dev/null)
}

complete -F _remit remit
`;

/**
 * The script for zsh 5: as a file named _remit in fpath, or sourced. Which candidates match what is typed is left to zsh and its
 * settings, so only that it is a flag is sent of the word at the cursor.
 */
const ZSH = String.raw`_remit() {
  local line part=
  local -a fields offered
  case ${'$'}{(Q)words[CURRENT]} in
  --*=*) part=${'$'}{${'$'}{(Q)words[CURRENT]}%%=*}= ;;
  -*) part=- ;;
  esac
  for line in "${'$'}{(@f)$(remit __complete "=$part" "${'$'}{(@Q)words[2,CURRENT-1]}" 2> /dev/null)}"; do
    fields=("${'$'}{(@ps:\t:)line}")
    case $line in
    $'\tfile') compset -P '--*='; _files; return ;;
    $'\tfolder') compset -P '--*='; _files -/; return ;;
    ?*) offered+=("${'$'}{fields[1]//:/\\:}${'$'}{fields[2]:+:$fields[2]}") ;;
    esac
  done
  if (($#offered > 0)); then _describe -V remit offered; fi
}

if [[ $funcstack[1] == _remit ]]; then
  _remit "$@"
else
  if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
  compdef _remit remit
fi
`;

/** The script for fish 3, which matches the candidates with what is typed, also within them. */
const FISH = String.raw`function __remit_complete
  command -q remit; or return
  set -l typed (commandline -opc)
  set -l cursor (commandline -ct)
  set -e typed[1]
  set -l flag (string match -r -- '^--[^=]*=' "$cursor"; or echo '')
  set -l path (string replace -r -- '^--[^=]*=' '' "$cursor")
  set -l part $flag
  string match -q -- '-*' "$cursor"; and test -z "$flag"; and set part -
  for line in (remit __complete "=$part" $typed 2>/dev/null)
    switch $line
      case \tfile
        for value in (__fish_complete_path "$path")
          echo $flag$value
        end
      case \tfolder
        for value in (__fish_complete_directories "$path" folder)
          echo $flag$value
        end
      case '*'
        echo $line
    end
  end
end

complete -c remit -f -k -a '(__remit_complete)'
`;

/** The script for Windows PowerShell 5.1 and PowerShell 7. */
const POWERSHELL = String.raw`$RemitComplete = {
  param($wordToComplete, $commandAst, $cursorPosition)

  function Write-Offer($value, $label) {
    $text = if ($value -match '[^A-Za-z0-9_.:@%+=/-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
    $tip = if ($label) { $label } else { $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $tip)
  }

  $cur = [string]$wordToComplete
  $flag = if ($cur -like '--*=*') { ($cur -split '=', 2)[0] + '=' } else { '' }
  $typed = @($commandAst.CommandElements |
    Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($cur -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
    ForEach-Object { $_.Extent.Text.Trim("'", '"') })
  foreach ($line in @(remit __complete "=$cur" @typed 2>$null)) {
    $value, $label = $line -split "\t", 2
    if ($value) {
      if ($value.StartsWith($cur)) { Write-Offer $value $label }
      continue
    }
    $start = $cur.Substring($flag.Length)
    $kind = if ($label -eq 'folder') { @{Directory = $true} } else { @{} }
    foreach ($item in @(Get-ChildItem -Path ($start + '*') @kind -ErrorAction SilentlyContinue)) {
      $parent = Split-Path -Path $start -Parent
      $path = if ($parent) { Join-Path $parent $item.Name } elseif ($start -like '[\\/]*') { $item.FullName } else { $item.Name }
      Write-Offer ($flag + $path) ''
    }
  }
}
Register-ArgumentCompleter -Native -CommandName remit -ScriptBlock $RemitComplete
`;

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL};

/** The completion script of a shell. */
export function completionScript(shell: Shell): string {
  const note = `# remit: completion for ${shell}\n`;
  return `${shell === 'zsh' ? '#compdef remit\n' : ''}${note}${SCRIPTS[shell]}`;
}

/** A word for PowerShell. */
export const psQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `/usr/bin/zsh` and the like, as SHELL contains it. */
export function shellIn(env: Readonly<Record<string, string | undefined>>): Shell {
  const path = env['SHELL'] ?? '';
  const name = path.split(/[/\\]/).at(-1) ?? '';
  const shell = SHELLS.find((known) => known === name);
  if (shell !== undefined) return shell;
  const near = nearest(name, SHELLS);
  throw new RemitError('USAGE', `the shell is not known: SHELL is ${JSON.stringify(path)}`, {
    hint: (commands) => commands.read('completion', 'install', near ?? 'bash'),
  });
}
