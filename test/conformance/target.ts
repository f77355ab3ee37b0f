import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {testStore, type TestStore} from '../sandbox/test-store.ts';
import {HttpsReceiver} from '../sandbox/webhooks/https-receiver.ts';
import {WITH_TYPESCRIPT} from '../repo/tree.ts';

/**
 * What a test needs of the service beyond its documented interface: `sandbox`, control routes and scenarios; `live`, a
 * key of a second, live entity; `receiver`, deliveries to a receiver of the test's own on this machine.
 */
export type Need = 'sandbox' | 'live' | 'receiver';

/** Where the service is, and what it offers to a test. */
export interface Target {
  baseUrl: string;
  key: string;
  liveKey?: string;
  control?: {url: string; token: string};
  receiver?: HttpsReceiver;
  close(): Promise<void>;
}

const {
  REMIT_CONFORMANCE_URL: url,
  REMIT_CONFORMANCE_KEY: key,
  REMIT_CONFORMANCE_LIVE_KEY: liveKey,
  REMIT_CONFORMANCE_CONTROL_URL: controlUrl,
  REMIT_CONFORMANCE_CONTROL_TOKEN: controlToken,
} = process.env;

if (url !== undefined && key === undefined)
  throw new Error('REMIT_CONFORMANCE_URL needs REMIT_CONFORMANCE_KEY, a key of a test entity');

/** Known before anything runs, so that tests which cannot run here are counted as such. */
export const offered: ReadonlySet<Need> = new Set<Need>(
  url === undefined
    ? ['sandbox', 'live', 'receiver']
    : [
        ...(controlUrl !== undefined && controlToken !== undefined ? (['sandbox'] as const) : []),
        ...(liveKey === undefined ? [] : (['live'] as const)),
      ],
);

export const targetName = url ?? 'a sandbox of its own';

export async function openTarget(): Promise<Target> {
  if (url === undefined) return openSandbox();
  return {
    baseUrl: url.replace(/\/$/, ''),
    key: key!, // checked above
    ...(liveKey === undefined ? {} : {liveKey}),
    ...(controlUrl !== undefined && controlToken !== undefined
      ? {control: {url: controlUrl.replace(/\/$/, ''), token: controlToken}}
      : {}),
    close: async () => undefined,
  };
}

async function openSandbox(): Promise<Target> {
  const store: TestStore = await testStore();
  const receiver = await HttpsReceiver.open();
  const child = spawn(
    process.execPath,
    [...WITH_TYPESCRIPT, fileURLToPath(new URL('./sandbox-process.ts', import.meta.url)), store.place],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {...process.env, REMIT_TEST_AUTHORITY: receiver.authorityFile},
    },
  );
  const ready = await firstLine(child);
  return {
    baseUrl: ready.base_url,
    key: ready.test_key,
    liveKey: ready.live_key,
    control: {url: ready.control_url, token: ready.control_token},
    receiver,
    close: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await receiver.close();
      await store.drop();
    },
  };
}

type Ready = Record<'base_url' | 'test_key' | 'live_key' | 'control_url' | 'control_token', string>;

async function firstLine(child: ChildProcess): Promise<Ready> {
  for await (const line of createInterface({input: child.stdout!})) return JSON.parse(line) as Ready;
  throw new Error('the sandbox ended before it was ready');
}
