import {resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import type {KeySource} from '../../profiles/profile.ts';
import type {FlagValues} from '../input/flags.ts';
import type {Runtime} from '../runtime/runtime.ts';
import {readStdin} from '../runtime/stdin.ts';
import type {keyFlags} from './flags.ts';

const MOST_CHARACTERS = 65_536;

/**
 * The source of a new profile's key: a file or command that is read at each use, otherwise stdin or a hidden prompt.
 */
export async function readKeySource(
  flags: FlagValues<typeof keyFlags>,
  runtime: Runtime,
): Promise<KeySource> {
  const {'key-file': file, 'key-command': command} = flags;
  if (command !== undefined) return {command};
  if (file !== undefined && file !== '-') return {file: resolve(runtime.cwd, file)}; // it is read later, from other folders
  const fromStdin = flags['key-stdin'] || file === '-';
  const typed = fromStdin
    ? await readStdin(runtime, 'the key', MOST_CHARACTERS)
    : await runtime.prompts.hidden('API key (not shown):', '--key-stdin, --key-file or --key-command');
  const stored = typed.trim();
  if (stored === '')
    throw new RemitError('BAD_KEY', fromStdin ? 'stdin contains no key' : 'no key was typed');
  return {stored};
}
