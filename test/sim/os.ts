import crypto from 'node:crypto';
import fs from 'node:fs';
import v8 from 'node:v8';
import {systemProbe} from '../../src/store/locks/lock-holder.ts';
import {DiskError, FIRST_DESCRIPTOR, type SimDisk} from './disk.ts';

/** A process of a simulated machine: what the tool asks the operating system about itself and others. */
export interface SimIdentity {
  host: string;
  boot: string;
  pid: number;
  startTime: string;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Where simulated paths begin: `/sim/<disk>/…`. */
const ROOT = '/sim/';
const ABOVE = '/sim';

/**
 * Puts simulated disks, processes, timers and randomness under the tool. Only one world lives at a time, and the process
 * in which it lives does nothing else: what is replaced here stays replaced.
 */
export class SimOs {
  readonly #disks = new Map<string, SimDisk>();
  readonly #living = new Map<string, Map<number, string>>();
  identity: SimIdentity = {host: 'none', boot: 'none', pid: 0, startTime: '0'};
  /** Runs `work` every `ms` for as long as the process that is running now lives. */
  every: (ms: number, work: () => void) => () => void = () => () => undefined;
  random: () => number = Math.random;
  readonly #descriptors = new Map<number, SimDisk>();

  constructor() {
    this.#replaceFiles();
    this.#replaceProcesses();
    this.#replaceTimers();
    this.#replaceRandomness();
    // The tool has WebAssembly compiled once and for good, being over soon; this process lives long enough to gain by more.
    v8.setFlagsFromString = () => undefined;
    const host = process as {getBuiltinModule?: (id: string) => unknown};
    const {getBuiltinModule} = host;
    // node:sqlite goes past node:fs, and with it past our disk; the tool then takes SQLite in WASM.
    host.getBuiltinModule = (id) =>
      id === 'node:sqlite' ? undefined : Reflect.apply(getBuiltinModule!, process, [id]);
  }

  reset(): void {
    this.#disks.clear();
    this.#living.clear();
    this.#descriptors.clear();
  }

  mount(name: string, disk: SimDisk): void {
    this.#disks.set(name, disk);
  }

  begin(identity: SimIdentity): void {
    this.identity = identity;
    const machine = machineOf(identity);
    if (!this.#living.has(machine)) this.#living.set(machine, new Map());
    this.#living.get(machine)!.set(identity.pid, identity.startTime);
  }

  end(identity: SimIdentity): void {
    this.#living.get(machineOf(identity))?.delete(identity.pid);
  }

  #diskOf(path: unknown): SimDisk | undefined {
    if (path === ABOVE) throw new DiskError('EACCES', 'access', path); // nobody has made a name there
    if (typeof path !== 'string' || !path.startsWith(ROOT)) return undefined;
    const disk = this.#disks.get(path.slice(ROOT.length).split('/', 1)[0]!);
    if (disk === undefined) throw new DiskError('ENOENT', 'access', path);
    return disk;
  }

  #replaceProcesses(): void {
    const start = (pid: number) => this.#living.get(machineOf(this.identity))?.get(pid);
    const probe = {
      host: () => this.identity.host,
      boot: () => this.identity.boot,
      namespace: () => 'pid:[1]',
      pid: () => this.identity.pid,
    };
    for (const [name, get] of Object.entries(probe)) Object.defineProperty(systemProbe, name, {get});
    Object.defineProperty(process, 'pid', {get: () => this.identity.pid}); // it stands in names of files
    Object.assign(systemProbe, {startTime: start, exists: (pid: number) => start(pid) !== undefined});
  }

  #replaceTimers(): void {
    const stops = new WeakMap<object, () => void>();
    globalThis.setInterval = ((work: () => void, ms: number) => {
      const handle = {unref: () => handle, ref: () => handle};
      stops.set(handle, this.every(ms, work));
      return handle;
    }) as unknown as typeof setInterval;
    globalThis.clearInterval = ((handle: object) => stops.get(handle)?.()) as typeof clearInterval;
  }

  #replaceRandomness(): void {
    const fill = (bytes: Uint8Array) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(this.random() * 256);
      return bytes;
    };
    const hex = (count: number) => Buffer.from(fill(new Uint8Array(count))).toString('hex');
    Object.assign(crypto, {
      randomFillSync: fill,
      randomBytes: (count: number) => Buffer.from(fill(new Uint8Array(count))),
      randomUUID: () => {
        const text = hex(16);
        return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20)}`;
      },
    });
  }

  #replaceFiles(): void {
    const host = fs as unknown as Record<string, AnyFunction>;
    const byPath = (name: string, simulated: (disk: SimDisk, path: string, ...rest: never[]) => unknown) => {
      const original = host[name]!;
      host[name] = (...args) => {
        const disk = this.#diskOf(args[0]);
        return disk === undefined
          ? original(...args)
          : simulated(disk, args[0] as string, ...(args.slice(1) as never[]));
      };
    };
    const byDescriptor = (
      name: string,
      simulated: (disk: SimDisk, descriptor: number, ...rest: never[]) => unknown,
    ) => {
      const original = host[name]!;
      host[name] = (...args) => {
        const [descriptor, ...rest] = args;
        if (typeof descriptor !== 'number' || descriptor < FIRST_DESCRIPTOR) return original(...args);
        const disk = this.#descriptors.get(descriptor);
        if (disk === undefined) throw new DiskError('EBADF', name, String(descriptor));
        return simulated(disk, descriptor, ...(rest as never[]));
      };
    };
    const open = (disk: SimDisk, path: string, flags: string | number) => {
      const descriptor = disk.open(path, flagsOf(flags));
      this.#descriptors.set(descriptor, disk);
      return descriptor;
    };

    byPath('existsSync', (disk, path) => disk.exists(path));
    byPath('accessSync', (disk, path) => {
      if (!disk.exists(path)) throw new DiskError('ENOENT', 'access', path);
    });
    byPath('openSync', (disk, path, flags: string | number = 'r') => open(disk, path, flags));
    byDescriptor('closeSync', (disk, descriptor) => {
      disk.close(descriptor);
      this.#descriptors.delete(descriptor);
    });
    byDescriptor(
      'readSync',
      (disk, descriptor, buffer: Uint8Array, start: number, length: number, position: number | bigint) =>
        disk.read(
          descriptor,
          buffer.subarray(start, start + length),
          position === null ? null : Number(position),
        ),
    );
    byDescriptor(
      'writeSync',
      (
        disk,
        descriptor,
        data: Uint8Array | string,
        start?: number,
        length?: number,
        position?: number | bigint,
      ) => {
        const bytes =
          typeof data === 'string'
            ? Buffer.from(data)
            : data.subarray(start ?? 0, (start ?? 0) + (length ?? data.length));
        return disk.write(descriptor, bytes, position == null ? null : Number(position));
      },
    );
    byDescriptor('fsyncSync', (disk, descriptor) => disk.sync(descriptor));
    byDescriptor('ftruncateSync', (disk, descriptor, size = 0) => disk.truncate(descriptor, Number(size)));
    byDescriptor('fstatSync', (disk, descriptor) => statsOf(disk.factsOf(descriptor)));
    const stat = (
      disk: SimDisk,
      path: string,
      options?: {throwIfNoEntry?: boolean},
    ): ReturnType<typeof statsOf> | undefined => {
      const node = disk.facts(path);
      if (node !== undefined) return statsOf(node);
      if (options?.throwIfNoEntry === false) return undefined;
      throw new DiskError('ENOENT', 'stat', path);
    };
    byPath('statSync', stat);
    byPath('lstatSync', stat);
    byPath('mkdirSync', (disk, path, options?: {recursive?: boolean}) =>
      disk.makeFolder(path, options?.recursive ?? false),
    );
    byPath('rmdirSync', (disk, path) => disk.removeFolder(path));
    byPath('readdirSync', (disk, path) => disk.list(path));
    byPath('renameSync', (disk, path, to: string) => disk.rename(path, to));
    byPath('linkSync', (disk, path, to: string) => disk.link(path, to));
    byPath('unlinkSync', (disk, path) => disk.unlink(path));
    byPath('rmSync', (disk, path, options?: {recursive?: boolean; force?: boolean}) =>
      removeTree(disk, path, options ?? {}),
    );
    byPath('chmodSync', (disk, path) => {
      if (!disk.exists(path)) throw new DiskError('ENOENT', 'chmod', path);
    });
    byPath('utimesSync', (disk, path, _at: number, mtime: number) => disk.touch(path, mtime * 1000));
    byPath('statfsSync', () => ({bavail: 1_000_000, bsize: 4096}));
    byPath('createReadStream', (disk, _path, {fd}: {fd: number}) => pieces(disk, fd));

    const readFile = host['readFileSync']!;
    host['readFileSync'] = (path, options) => {
      const disk = this.#diskOf(path);
      if (disk === undefined) return readFile(path, options);
      const descriptor = disk.open(path as string, flagsOf('r'));
      const bytes = readAll(disk, descriptor);
      disk.close(descriptor);
      return options === undefined ? bytes : bytes.toString('utf8');
    };
    const writeFile = host['writeFileSync']!;
    host['writeFileSync'] = (target, data, options) => {
      const bytes = Buffer.from(data as Uint8Array);
      if (typeof target === 'number' && target >= FIRST_DESCRIPTOR) {
        this.#descriptors.get(target)!.write(target, bytes, null);
        return;
      }
      const disk = this.#diskOf(target);
      if (disk === undefined) return writeFile(target, data, options);
      const descriptor = disk.open(target as string, flagsOf((options as {flag?: string})?.flag ?? 'w'));
      disk.write(descriptor, bytes, null);
      disk.close(descriptor);
    };
  }
}

const machineOf = ({host, boot}: SimIdentity): string => `${host} ${boot}`;

function flagsOf(flags: string | number): {
  write: boolean;
  create: boolean;
  exclusive: boolean;
  truncate: boolean;
} {
  if (typeof flags === 'number') {
    const {O_CREAT, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY} = fs.constants;
    return {
      write: (flags & (O_RDWR | O_WRONLY)) !== 0,
      create: (flags & O_CREAT) !== 0,
      exclusive: (flags & O_EXCL) !== 0,
      truncate: (flags & O_TRUNC) !== 0,
    };
  }
  if (!['r', 'r+', 'w', 'wx'].includes(flags)) throw new Error(`no simulated file is opened with ${flags}`);
  const makes = flags.startsWith('w');
  return {write: flags !== 'r', create: makes, exclusive: flags === 'wx', truncate: makes};
}

function readAll(disk: SimDisk, descriptor: number): Buffer {
  const node = disk.factsOf(descriptor);
  const bytes = Buffer.alloc(node.kind === 'file' ? node.size : 0);
  disk.read(descriptor, bytes, 0);
  return bytes;
}

async function* pieces(disk: SimDisk, descriptor: number): AsyncGenerator<Buffer> {
  yield readAll(disk, descriptor);
}

function removeTree(disk: SimDisk, path: string, options: {recursive?: boolean; force?: boolean}): void {
  const node = disk.facts(path);
  if (node === undefined) {
    if (options.force) return;
    throw new DiskError('ENOENT', 'rm', path);
  }
  if (node.kind === 'file') {
    disk.unlink(path);
    return;
  }
  for (const name of disk.list(path)) removeTree(disk, `${path}/${name}`, options);
  disk.removeFolder(path);
}

function statsOf(node: ReturnType<SimDisk['factsOf']>) {
  return {
    mtimeMs: node.mtimeMs,
    size: node.kind === 'file' ? node.size : 0,
    isFile: () => node.kind === 'file',
    isDirectory: () => node.kind === 'folder',
    isSymbolicLink: () => false,
  };
}
