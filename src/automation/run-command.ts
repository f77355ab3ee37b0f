import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {EXIT, isErrorCode, RemitError, type ExitCode} from '../errors.ts';
import {isObject, ownJson, stringOf} from '../narrow.ts';

/** A .remit.json of the caller's folder must not choose a profile or fields. */
export const COMMAND_FOLDER = '/';

/** One command, run by the installed `remit` in a process of its own. */
export interface CommandRun {
  args: readonly string[];
  /** Service and key: they replace those that the environment of this process names. */
  env: Readonly<Record<string, string>>;
  stdin?: string | undefined;
  /** Stops the command as Ctrl-C does: it finishes what it has sent. */
  signal?: AbortSignal | undefined;
  /** The program and its first arguments; default: this package's. */
  program?: readonly string[] | undefined;
}

export interface CommandResult<T> {
  /** The JSON document of stdout. */
  json: T;
  exitCode: ExitCode;
}

/**
 * Runs a command with `-o json`.
 * @throws {RemitError} the command's own error, or STATE if it could not be run or printed no result
 */
export async function runCommand<T>(run: CommandRun): Promise<CommandResult<T>> {
  const {stdout, stderr, code} = await spawned(run);
  const json = readJson<T>(stdout);
  const exitCode = exitCodeOf(code);
  if (json !== undefined && exitCode !== undefined) return {json, exitCode};
  throw errorOf(stderr) ?? unreadable(run, code, stderr);
}

interface Ended {
  stdout: string;
  stderr: string;
  code: number;
}

function spawned({args, env, stdin, signal, program = ownProgram()}: CommandRun): Promise<Ended> {
  if (signal?.aborted === true)
    throw new RemitError('INTERRUPTED', 'aborted before the command was started; nothing was sent', {
      cause: signal.reason,
    });
  if ([...args, ...Object.values(env)].some((text) => text.includes('\0')))
    throw new RemitError('USAGE', 'an option contains a NUL character; nothing was sent');
  const [file = process.execPath, ...first] = program;
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...first, ...args, '-o', 'json'], {
      cwd: COMMAND_FOLDER,
      env: {...otherVariables(), ...env},
      stdio: 'pipe',
      windowsHide: true,
    });
    const stop = () => child.kill('SIGINT');
    signal?.addEventListener('abort', stop, {once: true});
    const texts = [child.stdout, child.stderr].map((stream) => collected(stream));
    child.on('error', (cause) =>
      reject(new RemitError('STATE', `cannot start ${file}: ${cause.message}`, {cause})),
    );
    child.on('close', (code) => {
      signal?.removeEventListener('abort', stop);
      const [stdout = '', stderr = ''] = texts.map((read) => read());
      resolve({stdout, stderr, code: code ?? 1});
    });
    child.stdin.on('error', () => {}); // it ended without reading; its error says why
    child.stdin.end(stdin ?? '');
  });
}

function collected(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString();
}

/** The caller names service and key; folders, certificates and proxies are those of the environment. */
const CHOOSING = ['REMIT_API_KEY', 'REMIT_BASE_URL', 'REMIT_PROFILE', 'REMIT_SERVICE_FILE'];

const otherVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !CHOOSING.includes(name.toUpperCase())));

/**
 * The command of this package, wherever it is installed. If a bundler has moved this file, it is looked for beside the
 * program and in the current folder.
 */
function ownProgram(): string[] {
  // A bundle that is an ES module does not know where this file was: the first place is undefined then.
  const places: (string | undefined)[] = [import.meta.url, process.argv[1], join(process.cwd(), 'index.js')];
  for (const place of places) {
    const manifest = place === undefined ? undefined : resolvedFrom(place, 'remit-cli/package.json');
    if (manifest !== undefined) return [process.execPath, join(dirname(manifest), 'bin', 'run.cjs')];
  }
  throw new RemitError('STATE', 'the command of remit-cli was not found; nothing was sent', {
    hint: 'install remit-cli where this program runs: a bundle of the program does not contain the command',
  });
}

function resolvedFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch {
    return undefined; // it is not installed there
  }
}

const exitCodeOf = (code: unknown): ExitCode | undefined =>
  Object.values(EXIT).find((known) => known === code);

function readJson<T = unknown>(text: string): T | undefined {
  try {
    return ownJson<T>(text);
  } catch {
    return undefined;
  }
}

/** The error of a command is the last line of its stderr. */
function errorOf(stderr: string): RemitError | undefined {
  const line = readJson(stderr.trimEnd().split('\n').at(-1) ?? '');
  if (!isObject(line) || !isObject(line['error'])) return undefined;
  const {code, message, http_status, exit_code, request_id, hint, details} = line['error'];
  if (typeof code !== 'string' || !isErrorCode(code)) return undefined;
  return new RemitError(code, stringOf(message), {
    httpStatus: typeof http_status === 'number' ? http_status : undefined,
    requestId: typeof request_id === 'string' ? request_id : undefined,
    hint: typeof hint === 'string' ? hint : undefined,
    details: isObject(details) ? details : undefined,
    exitCode: exitCodeOf(exit_code),
  });
}

const unreadable = ({args}: CommandRun, code: number, stderr: string): RemitError =>
  new RemitError(
    'STATE',
    `the command ${args.slice(0, 3).join(' ')} ended with exit code ${code} without a result`,
    {
      hint: 'the journal has what was sent: read it with summary(id) before anything is run again',
      details: {exit_code: code, stderr: stderr.slice(-2000)},
    },
  );
