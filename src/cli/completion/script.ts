import type {Config} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {bashScript} from './bash.ts';
import {fishScript} from './fish.ts';
import {powershellScript} from './powershell.ts';
import {treeOf, type Tree} from './tree.ts';
import {zshScript} from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, (tree: Tree) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** The completion script of a shell. Commands and flags are in it; only other values start remit. */
export function completionScript(shell: Shell, config: Config, pages: readonly string[]): string {
  const script = SCRIPTS[shell](treeOf(config, pages));
  const note = `# remit: completion for ${shell}, version ${config.pjson.version}\n`;
  // The first line of a zsh script says what it completes.
  return script.startsWith('#compdef') ? script.replace('\n', `\n${note}`) : note + script;
}

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
