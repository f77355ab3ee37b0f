/** What a call on the simulated disk throws: shaped like an error of node:fs. */
export class DiskError extends Error {
  readonly code: string;
  readonly errno: number;
  readonly syscall: string;
  readonly path: string;

  constructor(code: string, syscall: string, path: string) {
    super(`${code}: ${syscall} '${path}'`);
    this.code = code;
    this.errno = -1;
    this.syscall = syscall;
    this.path = path;
  }
}

/** One change of a file that no sync has made durable yet. */
type Change = {offset: number; bytes: Uint8Array} | {size: number};

interface FileNode {
  kind: 'file';
  bytes: Buffer;
  size: number;
  mode: number;
  mtimeMs: number;
  /** What a power loss leaves at least; null where nothing is kept for lack of need. */
  durable: Uint8Array;
  pending: Change[];
}

interface FolderNode {
  kind: 'folder';
  mtimeMs: number;
}

type DiskNode = FileNode | FolderNode;

/** A change of names that no sync of its folder has made durable yet. */
interface NameChange {
  folder: string;
  set?: [path: string, node: DiskNode];
  drop?: string;
}

export type DiskCall = 'create' | 'write' | 'truncate' | 'sync' | 'rename' | 'link' | 'unlink' | 'folder';

/** What a fault does to one changing call: fail it before its effect, after a part of it, or let the process die. */
export type DiskFault =
  {is: 'error'; code: 'EIO' | 'ENOSPC'} | {is: 'kill'; when: 'before' | 'torn' | 'after'};

interface OpenFile {
  path: string;
  node: DiskNode;
  epoch: number;
  position: number;
}

export const FIRST_DESCRIPTOR = 1_000_000;
/** Over all disks, so that a descriptor names one file. */
let nextDescriptor = FIRST_DESCRIPTOR;

/**
 * A disk in memory, with the two ways in which a machine stops: a killed process leaves all it wrote, a power loss leaves
 * what was synced and an arbitrary part of what came later. Names are durable when their folder was synced. Paths are
 * absolute. Every changing call goes through `onCall`, which counts it, fails it, or kills the process in it.
 */
export class SimDisk {
  /** Names the changing call; what it returns is done to that call. */
  onCall: (call: DiskCall, path: string) => DiskFault | undefined = () => undefined;
  /** Called when a fault kills the process, before the call throws. */
  onKill: () => void = () => undefined;
  now: () => number = () => 0;
  readonly #keepsLosses: boolean;
  #names = new Map<string, DiskNode>();
  #durableNames = new Map<string, DiskNode>();
  #nameChanges: NameChange[] = [];
  readonly #open = new Map<number, OpenFile>();
  #epoch = 0;
  #dead = false;

  /** `keepsLosses`: remember what was not synced, for worlds whose power fails. */
  constructor(root: string, keepsLosses: boolean) {
    this.#keepsLosses = keepsLosses;
    const folder: FolderNode = {kind: 'folder', mtimeMs: 0};
    this.#names.set(root, folder);
    this.#durableNames.set(root, folder);
  }

  /** From now on nothing that the dead process still tries has any effect. */
  kill(): void {
    this.#dead = true;
  }

  /** The next process finds what was left; descriptors of the dead one mean nothing. */
  revive(): void {
    this.#dead = false;
    this.#epoch++;
    this.#open.clear();
  }

  /** What is synced survives; `survives` decides over each later change, file by file and folder by folder in order. */
  losePower(random: () => number): void {
    const taken = new Map<string, 'all' | 'none' | 'some'>();
    const stopped = new Set<string>();
    for (const change of this.#nameChanges) {
      const {folder} = change;
      if (!taken.has(folder))
        taken.set(folder, (['all', 'none', 'some'] as const)[Math.floor(random() * 3)]!);
      const mood = taken.get(folder)!;
      if (mood === 'none' || stopped.has(folder)) continue;
      if (mood === 'some' && random() < 0.4) stopped.add(folder);
      else applyName(this.#durableNames, change);
    }
    this.#nameChanges = [];
    this.#names = new Map();
    for (const [path, node] of this.#durableNames) if (this.#isReachable(path)) this.#names.set(path, node);
    this.#durableNames = new Map(this.#names);
    for (const node of new Set(this.#names.values())) if (node.kind === 'file') loseChanges(node, random);
  }

  #isReachable(path: string): boolean {
    const parent = parentOf(path);
    const node = this.#durableNames.get(parent);
    if (node === undefined) return !this.#names.has(parent) && !parent.startsWith('/sim/'); // above the root
    return node.kind === 'folder' && (parent.split('/').length <= 3 || this.#isReachable(parent));
  }

  /** A copy of the files under a folder, as an operator's backup has it. */
  copyOf(folder: string): Map<string, Uint8Array> {
    const copy = new Map<string, Uint8Array>();
    for (const [path, node] of this.#names)
      if (node.kind === 'file' && path.startsWith(`${folder}/`))
        copy.set(path, Uint8Array.from(node.bytes.subarray(0, node.size)));
    return copy;
  }

  /** Puts a backup in the place of everything under a folder; by hand, so durable at once. */
  restore(folder: string, copy: ReadonlyMap<string, Uint8Array>): void {
    this.remove(folder);
    for (const [path, bytes] of copy) this.put(path, bytes);
  }

  /** Writes a file by hand: no process, no faults, durable. */
  put(path: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content as Uint8Array);
    for (let folder = parentOf(path); !this.#names.has(folder); folder = parentOf(folder)) {
      const node: FolderNode = {kind: 'folder', mtimeMs: this.now()};
      this.#names.set(folder, node);
      this.#durableNames.set(folder, node);
    }
    const node: FileNode = {
      ...{kind: 'file', bytes, size: bytes.length, mode: 0o600, mtimeMs: this.now()},
      ...{durable: this.#keepsLosses ? Uint8Array.from(bytes) : bytes, pending: []},
    };
    this.#names.set(path, node);
    this.#durableNames.set(path, node);
  }

  /** Removes a file or folder by hand. */
  remove(path: string): void {
    const isGone = (name: string) => name === path || name.startsWith(`${path}/`);
    for (const names of [this.#names, this.#durableNames])
      for (const name of names.keys()) if (isGone(name)) names.delete(name);
    this.#nameChanges = this.#nameChanges.filter(
      ({set, drop}) => !(set && isGone(set[0])) && !(drop !== undefined && isGone(drop)),
    );
  }

  /** Whole content of a file, or undefined. `durable`: what would surely be there after a power loss. */
  peek(path: string, durable = false): Uint8Array | undefined {
    const node = (durable && this.#keepsLosses ? this.#durableNames : this.#names).get(path);
    if (node?.kind !== 'file') return undefined;
    return durable && this.#keepsLosses ? node.durable : node.bytes.subarray(0, node.size);
  }

  paths(): string[] {
    return [...this.#names.keys()];
  }

  // What node:fs does, for the functions that the tool and its SQLite driver use.

  exists(path: string): boolean {
    return !this.#dead && this.#names.has(path);
  }

  open(
    path: string,
    flags: {write: boolean; create: boolean; exclusive: boolean; truncate: boolean},
  ): number {
    this.#alive('open', path);
    let node = this.#names.get(path);
    if (node === undefined && !flags.create) throw new DiskError('ENOENT', 'open', path);
    if (node !== undefined && flags.exclusive) throw new DiskError('EEXIST', 'open', path);
    if (node?.kind === 'folder' && flags.write) throw new DiskError('EISDIR', 'open', path);
    if (node === undefined) {
      if (this.#names.get(parentOf(path))?.kind !== 'folder') throw new DiskError('ENOENT', 'open', path);
      const file: FileNode = {
        ...{kind: 'file', bytes: Buffer.alloc(0), size: 0, mode: 0o600, mtimeMs: this.now()},
        ...{durable: EMPTY, pending: []},
      };
      this.#change('create', path, () => this.#rename({folder: parentOf(path), set: [path, file]}));
      node = file;
    } else if (flags.truncate && node.kind === 'file') this.#truncateNode(path, node, 0);
    const descriptor = nextDescriptor++;
    this.#open.set(descriptor, {path, node, epoch: this.#epoch, position: 0});
    return descriptor;
  }

  close(descriptor: number): void {
    this.#open.delete(descriptor);
  }

  read(descriptor: number, into: Uint8Array, position: number | null): number {
    const file = this.#file(descriptor, 'read');
    const node = asFile(file.node, 'read', file.path);
    const start = position ?? file.position;
    const count = Math.max(0, Math.min(into.length, node.size - start));
    if (count > 0) into.set(node.bytes.subarray(start, start + count));
    if (position === null) file.position = start + count;
    return count;
  }

  write(descriptor: number, from: Uint8Array, position: number | null): number {
    const file = this.#file(descriptor, 'write');
    const node = asFile(file.node, 'write', file.path);
    const offset = position ?? file.position;
    this.#change(
      'write',
      file.path,
      () => this.#writeNode(node, offset, from),
      (share) => this.#writeNode(node, offset, from.subarray(0, Math.floor(from.length * share))),
    );
    if (position === null) file.position = offset + from.length;
    return from.length;
  }

  truncate(descriptor: number, size: number): void {
    const file = this.#file(descriptor, 'ftruncate');
    this.#truncateNode(file.path, asFile(file.node, 'ftruncate', file.path), size);
  }

  sync(descriptor: number): void {
    const {path, node} = this.#file(descriptor, 'fsync');
    this.#change('sync', path, () => {
      if (!this.#keepsLosses) return;
      if (node.kind === 'file') {
        node.durable = allChanged(node.durable, node.pending);
        node.pending = [];
      } else {
        const mine = this.#nameChanges.filter((change) => change.folder === path);
        this.#nameChanges = this.#nameChanges.filter((change) => change.folder !== path);
        for (const change of mine) applyName(this.#durableNames, change);
      }
    });
  }

  facts(path: string): DiskNode | undefined {
    this.#alive('stat', path);
    return this.#names.get(path);
  }

  factsOf(descriptor: number): DiskNode {
    return this.#file(descriptor, 'fstat').node;
  }

  makeFolder(path: string, recursive: boolean): void {
    this.#alive('mkdir', path);
    if (this.#names.has(path)) {
      if (recursive && this.#names.get(path)!.kind === 'folder') return;
      throw new DiskError('EEXIST', 'mkdir', path);
    }
    const parent = parentOf(path);
    if (!this.#names.has(parent)) {
      if (!recursive) throw new DiskError('ENOENT', 'mkdir', path);
      this.makeFolder(parent, true);
    }
    const node: FolderNode = {kind: 'folder', mtimeMs: this.now()};
    this.#change('folder', path, () => this.#rename({folder: parent, set: [path, node]}));
  }

  list(path: string): string[] {
    this.#alive('scandir', path);
    if (this.#names.get(path)?.kind !== 'folder') throw new DiskError('ENOENT', 'scandir', path);
    const prefix = `${path}/`;
    const names: string[] = [];
    for (const name of this.#names.keys())
      if (name.startsWith(prefix) && !name.includes('/', prefix.length))
        names.push(name.slice(prefix.length));
    return names;
  }

  rename(from: string, to: string): void {
    const node = this.#get(from, 'rename');
    this.#change('rename', to, () => this.#rename({folder: parentOf(to), set: [to, node], drop: from}));
  }

  link(from: string, to: string): void {
    const node = this.#get(from, 'link');
    if (this.#names.has(to)) throw new DiskError('EEXIST', 'link', to);
    this.#change('link', to, () => this.#rename({folder: parentOf(to), set: [to, node]}));
  }

  unlink(path: string): void {
    if (this.#get(path, 'unlink').kind === 'folder') throw new DiskError('EISDIR', 'unlink', path);
    this.#change('unlink', path, () => this.#rename({folder: parentOf(path), drop: path}));
  }

  removeFolder(path: string): void {
    if (this.#get(path, 'rmdir').kind !== 'folder') throw new DiskError('ENOTDIR', 'rmdir', path);
    if (this.list(path).length > 0) throw new DiskError('ENOTEMPTY', 'rmdir', path);
    this.#change('folder', path, () => this.#rename({folder: parentOf(path), drop: path}));
  }

  touch(path: string, mtimeMs: number): void {
    this.#get(path, 'utime').mtimeMs = mtimeMs;
  }

  #get(path: string, syscall: string): DiskNode {
    this.#alive(syscall, path);
    const node = this.#names.get(path);
    if (node === undefined) throw new DiskError('ENOENT', syscall, path);
    return node;
  }

  #file(descriptor: number, syscall: string): OpenFile {
    const file = this.#open.get(descriptor);
    if (this.#dead || file === undefined || file.epoch !== this.#epoch)
      throw new DiskError('EBADF', syscall, file?.path ?? String(descriptor));
    return file;
  }

  #alive(syscall: string, path: string): void {
    if (this.#dead) throw new DiskError('EIO', syscall, path);
  }

  /** Does a change, unless a fault says otherwise. `part` does a share of it, for writes. */
  #change(call: DiskCall, path: string, work: () => void, part?: (share: number) => void): void {
    const fault = this.onCall(call, path);
    if (fault === undefined) {
      work();
      return;
    }
    if (fault.is === 'kill') {
      if (fault.when === 'after') work();
      if (fault.when === 'torn') part?.(0.5);
      this.#dead = true;
      this.onKill();
      throw new DiskError('EIO', call, path);
    }
    if (fault.code === 'ENOSPC' && call === 'write') part?.(0.25);
    // A failed sync marks the pages clean: what it did not write is seen until the power fails, and never written.
    const node = call === 'sync' ? this.#names.get(path) : undefined;
    if (node?.kind === 'file') node.pending = [];
    throw new DiskError(fault.code, call, path);
  }

  #rename(change: NameChange): void {
    applyName(this.#names, change);
    if (this.#keepsLosses) this.#nameChanges.push(change);
  }

  #writeNode(node: FileNode, offset: number, from: Uint8Array): void {
    const end = offset + from.length;
    if (end > node.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, node.bytes.length * 2));
      larger.set(node.bytes.subarray(0, node.size));
      node.bytes = larger;
    }
    if (offset > node.size) node.bytes.fill(0, node.size, offset);
    node.bytes.set(from, offset);
    node.size = Math.max(node.size, end);
    node.mtimeMs = this.now();
    if (this.#keepsLosses) node.pending.push({offset, bytes: Uint8Array.from(from)});
  }

  #truncateNode(path: string, node: FileNode, size: number): void {
    this.#change('truncate', path, () => {
      if (size > node.size) this.#writeNode(node, node.size, new Uint8Array(size - node.size));
      node.size = size;
      if (this.#keepsLosses) node.pending.push({size});
    });
  }
}

const EMPTY = new Uint8Array(0);

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

function asFile(node: DiskNode, syscall: string, path: string): FileNode {
  if (node.kind !== 'file') throw new DiskError('EISDIR', syscall, path);
  return node;
}

function applyName(names: Map<string, DiskNode>, {set, drop}: NameChange): void {
  if (drop !== undefined) names.delete(drop);
  if (set !== undefined) names.set(...set);
}

/** Of what was not synced: all, nothing, or each change by itself, torn at a sector now and then. */
function loseChanges(node: FileNode, random: () => number): void {
  const mood = Math.floor(random() * 3);
  let bytes = node.durable;
  for (const change of node.pending) {
    if (mood === 0 || (mood === 1 && random() < 0.5)) continue;
    bytes = changed(bytes, change, mood === 1 && random() < 0.3 ? random() : 1);
  }
  node.bytes = Buffer.from(bytes);
  node.size = bytes.length;
  node.durable = bytes;
  node.pending = [];
}

/** All of a sync at once: a large log is synced often, and a copy for each change would cost more than the world around it. */
function allChanged(before: Uint8Array, changes: readonly Change[]): Uint8Array {
  if (changes.length < 2) return changes.reduce((bytes, change) => changed(bytes, change, 1), before);
  let most = before.length;
  for (const change of changes)
    most = Math.max(most, 'size' in change ? change.size : change.offset + change.bytes.length);
  const after = new Uint8Array(most);
  after.set(before);
  let size = before.length;
  for (const change of changes) {
    if ('size' in change) {
      if (change.size < size) after.fill(0, change.size, size);
      size = change.size;
    } else {
      after.set(change.bytes, change.offset);
      size = Math.max(size, change.offset + change.bytes.length);
    }
  }
  return size === most ? after : after.slice(0, size);
}

const SECTOR = 512;

function changed(before: Uint8Array, change: Change, share: number): Uint8Array {
  if ('size' in change) {
    const cut = new Uint8Array(change.size);
    cut.set(before.subarray(0, change.size));
    return cut;
  }
  const part =
    share === 1
      ? change.bytes
      : change.bytes.subarray(0, Math.floor((change.bytes.length * share) / SECTOR) * SECTOR);
  const after = new Uint8Array(Math.max(before.length, change.offset + part.length));
  after.set(before);
  after.set(part, change.offset);
  return after;
}
