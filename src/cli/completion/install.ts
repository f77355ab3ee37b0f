import {existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
import {xdg} from '../../profiles/folders.ts';
import {posixWord} from '../../shell-word.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {seenFolder} from './seen.ts';
import {psQuoted, type Shell} from './shells.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where completion is installed: the script, and the start-up file of the shell that loads it, if it needs one. */
export interface Installed {
  shell: Shell;
  script: string;
  startup: string | null;
  /** The line that loads the script; null if the shell finds it by itself. */
  line: string | null;
}

const MARK = '# completion of remit';

/** Where the parts of a shell are. bash and zsh load the script from their start-up file; fish finds it. */
export function placesFor(shell: Shell, env: Env, home: string): Installed {
  const data = join(xdg(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), 'remit');
  const config = xdg(env, 'XDG_CONFIG_HOME') ?? join(home, '.config');
  switch (shell) {
    case 'fish':
      return {shell, script: join(config, 'fish', 'completions', 'remit.fish'), startup: null, line: null};
    case 'powershell': {
      const script = join(data, 'completion.ps1');
      return {shell, script, startup: null, line: `. ${psQuoted(script)}`};
    }
    default: {
      const script = join(data, `completion.${shell}`);
      const startup = shell === 'bash' ? join(home, '.bashrc') : join(env['ZDOTDIR'] || home, '.zshrc');
      const word = posixWord(script);
      return {shell, script, startup, line: `[ -f ${word} ] && . ${word} ${MARK}`};
    }
  }
}

/** Writes the script, and adds the line to the start-up file unless it is there. Turns on the cache of ids. */
export function install(places: Installed, text: string, env: Env, home: string): void {
  write(places.script, text, places.shell);
  mkdirSync(seenFolder(env, home), {recursive: true, mode: 0o700});
  const {startup, line} = places;
  if (startup === null || line === null) return;
  const old = textOf(startup);
  const without = withoutOurs(old);
  const start = without === '' || without.endsWith('\n') ? without : `${without}\n`;
  if (start + `${line}\n` !== old) write(startup, `${start}${line}\n`, places.shell);
}

/** Removes the script, the line and the stored ids. Returns what was removed. */
export function uninstall({shell, script, startup}: Installed, env: Env, home: string): string[] {
  const removed: string[] = [];
  for (const path of [script, seenFolder(env, home)]) {
    if (!existsSync(path)) continue;
    rmSync(path, {recursive: true, force: true});
    removed.push(path);
  }
  const old = startup === null ? '' : textOf(startup);
  if (startup !== null && withoutOurs(old) !== old) {
    write(startup, withoutOurs(old), shell);
    removed.push(`a line in ${startup}`);
  }
  return removed;
}

const withoutOurs = (text: string): string =>
  text
    .split(/(?<=\n)/)
    .filter((line) => !line.trimEnd().endsWith(MARK))
    .join('');

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** A start-up file may be a link into a folder of settings: it is written through the link, with its own mode. */
function write(path: string, text: string, shell: Shell): void {
  try {
    mkdirSync(dirname(path), {recursive: true});
    const target = existsSync(path) ? realpathSync(path) : path;
    const mode = existsSync(path) ? statSync(target).mode & 0o777 : 0o644;
    writeFileAtomic(target, text, {mode});
  } catch (error) {
    throw new RemitError('STATE', `${path} cannot be written: ${messageOf(error)}`, {
      cause: error,
      hint: (commands) => `print the script and store it yourself: ${commands.read('completion', shell)}`,
    });
  }
}
