import {spawn} from 'node:child_process';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {childEnv} from '../runtime/child-env.ts';
import type {Stop} from '../runtime/stop.ts';

const LOOK_EVERY_MS = 20;

/**
 * Runs this program with other arguments, as a person would at the prompt: on the same terminal, in its own process.
 * Resolves with its exit code, or with `SIGKILL` if `killWhen` became true first. A terminal interrupts it as well as this
 * process, but SIGTERM is passed on.
 */
export function runRemit(
  args: readonly string[],
  options: {
    quiet: boolean;
    env: Readonly<Record<string, string>>;
    stop: Stop;
    killWhen?: (() => boolean) | undefined;
  },
): Promise<number | 'SIGKILL'> {
  const {quiet, env, stop, killWhen} = options;
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [...process.execArgv, must(process.argv[1], 'script that was started'), ...args],
      {
        env: {...childEnv(process.env), ...env},
        stdio: quiet ? 'ignore' : ['ignore', 'inherit', 'inherit'],
      },
    );
    const timer =
      killWhen === undefined
        ? undefined
        : setInterval(() => void (killWhen() && child.kill('SIGKILL')), LOOK_EVERY_MS);
    const passOn = () => void (stop.reason?.code === 'TERMINATED' && child.kill('SIGTERM'));
    stop.signal.addEventListener('abort', passOn);
    const release = () => {
      clearInterval(timer);
      stop.signal.removeEventListener('abort', passOn);
    };
    child.on('error', (cause) => {
      release();
      reject(new RemitError('STATE', `cannot start ${process.execPath}: ${cause.message}`, {cause}));
    });
    child.on('close', (code, signal) => {
      release();
      if (signal === 'SIGKILL') resolve('SIGKILL');
      else resolve(code ?? 1);
    });
  });
}
