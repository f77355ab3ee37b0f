import {dataOf, globalLines} from './data.ts';
import type {Tree} from './tree.ts';

const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/** For fish 3. fish compares the candidates with the typed word itself. */
export function fishScript(tree: Tree): string {
  const cases = dataOf(tree).map(
    ([path, lines]) => `    case ${fishQuoted(path)}\n      echo ${fishQuoted(lines)}\n`,
  );
  return `function __remit_read
  switch "$argv[1]"
${cases.join('')}  end
end

function __remit_global
  echo ${fishQuoted(globalLines(tree))}
end

${FUNCTIONS}`;
}

const FUNCTIONS = String.raw`# Prints where the values of flag $argv[1] come from, among the lines that follow.
function __remit_flag
  for line in $argv[2..-1]
    set -l fields (string split \t -- $line)
    if test "$fields[1]" = f; and contains -- $argv[1] (string split , -- $fields[2])
      echo $fields[3]
      return
    end
  end
end

# Prints the values of source $argv[1]; $argv[2] is the typed word, the words before it follow.
function __remit_values
  switch "$argv[1]"
    case '=*'
      string split '|' -- (string sub -s 2 -- $argv[1])
    case '@*'
      remit __complete (string sub -s 2 -- $argv[1]) $argv[3..-1] 2>/dev/null
    case '%file'
      __fish_complete_path $argv[2]
    case '%folder'
      __fish_complete_directories $argv[2] folder
  end
end

function __remit_complete
  set -l typed (commandline -opc)
  set -l cur (commandline -ct)
  set -e typed[1]
  set -l path ''
  set -l pending ''
  set -l ended ''
  set -l count 0
  set -l globals (__remit_global)
  set -l node (__remit_read '')
  for word in $typed
    if test -n "$pending"
      set pending ''
    else if test -z "$ended"; and test "$word" = --
      set ended 1
    else if test -z "$ended"; and string match -q -- '-?*' $word
      if not string match -q -- '*=*' $word
        set -l source (__remit_flag $word $node $globals)
        if test -n "$source"; and test "$source" != -
          set pending $source
        end
      end
    else if test $count -eq 0; and string match -q -- w\t$word\t'*' $node
      set path (string trim -- "$path $word")
      set node (__remit_read $path)
    else
      set count (math $count + 1)
    end
  end
  if test -n "$pending"
    __remit_values $pending "$cur" $typed
    return
  end
  if test -z "$ended"; and string match -q -- '--*=*' $cur
    set -l name (string split -m 1 = -- $cur)[1]
    set -l source (__remit_flag $name $node $globals)
    for value in (__remit_values "$source" (string split -m 1 = -- $cur)[2] $typed)
      echo $name=$value
    end
    return
  end
  set -l seen 0
  if test -n "$ended"; or not string match -q -- '-*' $cur
    for line in $node
      set -l fields (string split \t -- $line)
      switch $fields[1]
        case w
          if test $count -eq 0
            printf '%s\t%s\n' $fields[2] $fields[4]
          end
        case a
          if test $seen -eq $count
            __remit_values $fields[3] "$cur" $typed
          end
          set seen (math $seen + 1)
        case r
          if test $count -ge $seen
            __remit_values $fields[3] "$cur" $typed
          end
      end
    end
    if test -n "$cur"; or test -n "$ended"; or string match -qr -- '^[awr]\t' $node
      return
    end
  end
  for line in $node $globals
    set -l fields (string split \t -- $line)
    if test $fields[1] = f
      printf '%s\t%s\n' (string split , -- $fields[2])[1] $fields[4]
    end
  end
end

complete -c remit -f -k -a '(__remit_complete)'
`;
