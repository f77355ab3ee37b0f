import type {Transport} from '../../client/transport/transport.ts';
import {systemClock, type Clock} from '../../clock.ts';
import type {NetworkSettings, Unsent} from '../../network/settings.ts';
import type {OutStream} from '../../output/sink.ts';
import {homeFolder} from '../../profiles/folders.ts';
import {socketCeiling} from './open-files.ts';
import {terminalPrompts, type Prompts} from './prompts.ts';
import {StandardStream} from './standard-stream.ts';
import {Stop} from './stop.ts';

/** `one-shot` is node:http, which loads quickly; `pool` is undici, which is fast over thousands of requests. */
export type TransportKind = 'one-shot' | 'pool';

/** How the service is reached. */
export interface Network extends NetworkSettings {
  /** Called by a pool when a request fails before it was sent. */
  onUnsent?: (why: Unsent) => void;
}

export interface InStream extends NodeJS.ReadableStream {
  isTTY?: boolean | undefined;
}

/** Everything a command uses from its process, so that a test can replace each part. */
export interface Runtime {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  stdin: InStream;
  stdout: OutStream;
  stderr: OutStream;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  uuid: () => string;
  stop: Stop;
  prompts: Prompts;
  transport: (kind: TransportKind, baseUrl: string, network?: Network) => Promise<Transport>;
}

/** The runtime of a real process. */
export function processRuntime(): Runtime {
  const stop = new Stop((code) => process.exit(code));
  const {env} = process;
  return {
    env,
    get cwd() {
      return workingFolder();
    },
    get home() {
      return homeFolder(env);
    },
    get stdin() {
      return process.stdin; // opened only when it is read: an endless pipe must not keep a command running
    },
    stdout: new StandardStream(1),
    stderr: new StandardStream(2),
    clock: systemClock,
    random: Math.random,
    uuid: () => crypto.randomUUID(), // the global one: node:crypto would be loaded for a read as well
    stop,
    get prompts() {
      return terminalPrompts({stdin: process.stdin, stderr: process.stderr, stop});
    },
    transport: openTransport,
  };
}

/** A folder that was removed under a running shell is not an error. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

async function openTransport(
  kind: TransportKind,
  baseUrl: string,
  network: Network = {},
): Promise<Transport> {
  if (kind === 'one-shot') {
    const {HttpTransport} = await import('../../client/transport/http-transport.ts');
    return new HttpTransport({baseUrl, ...network});
  }
  const {PoolTransport} = await import('../../client/transport/pool-transport.ts');
  // Opened as requests need them, occasionally with one extra: a pool considers a socket busy slightly longer than it
  // is.
  return new PoolTransport({baseUrl, connections: socketCeiling(), ...network});
}
