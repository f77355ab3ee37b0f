import type {CommandBuilder} from '../../src/errors.ts';
import {shellWord} from '../../src/shell-word.ts';

/** Commands without the flags that find a batch: tests of batches are about the verb. `test/cli/line` tests the flags. */
export const bareCommands = (
  profile: string | null = 'acme',
  mode: 'test' | 'live' = 'test',
): CommandBuilder => builder(profile, mode, ([, group]) => group !== 'batch');

/** The same with the profile, which the command line adds to each of them. */
export const commandsAs = (profile: string | null, mode: 'test' | 'live' = 'test'): CommandBuilder =>
  builder(profile, mode, () => true);

function builder(
  profile: string | null,
  mode: 'test' | 'live',
  isNamed: (words: readonly string[]) => boolean,
): CommandBuilder {
  const read = (...words: readonly string[]) => {
    const isPlain = profile === null || (words[0] === 'profiles' && words[1] === 'set') || !isNamed(words);
    return ['remit', ...words, ...(isPlain ? [] : ['-p', profile])].map(shellWord).join(' ');
  };
  return {
    profile: profile ?? undefined,
    read,
    write: (...words) => read(...words, ...(mode === 'live' ? ['--live'] : [])),
  };
}
