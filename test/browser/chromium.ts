import {accessSync, constants, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {chromium, type BrowserContext, type BrowserContextOptions} from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of this machine: `REMIT_TEST_CHROMIUM`, or one on the PATH; undefined where there is none. */
export function findChromium(): string | undefined {
  const named = process.env['REMIT_TEST_CHROMIUM'];
  if (named !== undefined) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** It says nothing to its maker. Root, as in containers, cannot have the sandbox of the browser. */
const ARGUMENTS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Opened {
  context: BrowserContext;
  close(): Promise<void>;
}

/** A browser with an empty profile of its own, which is gone afterwards. */
export async function openBrowser(
  options: BrowserContextOptions = {},
  more: readonly string[] = [],
): Promise<Opened> {
  const profile = mkdtempSync(join(tmpdir(), 'remit-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium()!, // the runner looked for it before
    headless: true,
    args: [...ARGUMENTS, ...more],
    ...options,
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, {recursive: true, force: true});
    },
  };
}
