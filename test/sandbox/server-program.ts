import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {ROOT} from '../repo/tree.ts';

/** A sandbox server in one bundled file: each of its processes starts in half the processor time. */
export class ServerProgram {
  readonly #path: string;
  readonly #alive = new Set<ChildProcess>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async bundle(): Promise<ServerProgram> {
    const {build} = await import('esbuild');
    const folder = join(ROOT, 'node_modules', '.cache', 'remit-servers'); // where packages are found
    mkdirSync(folder, {recursive: true});
    const path = join(folder, `server-${process.pid}-${nextNumber++}.mjs`);
    await build({
      entryPoints: [join(ROOT, 'test', 'sandbox', 'server-process.ts')],
      outfile: path,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      logLevel: 'warning',
    });
    return new ServerProgram(path);
  }

  /** Starts a process on a store. Its first line says where it is. */
  async start<Place>(store: string, env: Record<string, string> = {}) {
    // Optimising SQLite's code is not worth it in a process that is killed after a second.
    const child = spawn(process.execPath, ['--liftoff-only', this.#path, store], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {...process.env, ...env},
    });
    this.#alive.add(child);
    child.on('exit', () => this.#alive.delete(child));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return {child, place: JSON.parse(line.toString()) as Place};
  }

  /** Kills what is still running. */
  async killAll(): Promise<void> {
    await Promise.all(
      [...this.#alive].map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
  }

  remove(): void {
    rmSync(this.#path, {force: true});
  }
}

let nextNumber = 1;
