import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {join, resolve, sep} from 'node:path';

/** A call that changes the disk. Reads are not among them. */
export interface DiskCall {
  kind: 'create' | 'write' | 'sync' | 'truncate' | 'unlink' | 'rename' | 'link' | 'folder';
  path: string;
  /** Of a write: what and where; of a truncation: `offset` is the new size. */
  bytes?: Uint8Array;
  offset?: number;
  /** Of a rename or a link: the new name. */
  target?: string;
  /** Does it, or for a write its first `length` bytes only. */
  perform: (length?: number) => unknown;
}

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Puts `onCall` between node:fs and everyone who uses it, for files under `folder`. The WASM driver reaches the disk by
 * node:fs only; node:sqlite goes past it. `onCall` performs the call, or does not. Returns what takes the tap out.
 */
export function tapDisk(folder: string, onCall: (call: DiskCall) => unknown): () => void {
  const inside = resolve(folder) + sep;
  const open = new Map<number, string>();
  const originals: Record<string, unknown> = {};
  const host = fs as unknown as Record<string, AnyFunction>;
  let performing = false; // node:fs uses some of its own functions: only the outermost counts
  const tap = (name: string, around: (args: unknown[], original: AnyFunction) => unknown) => {
    const original = host[name] as AnyFunction;
    originals[name] = original;
    host[name] = (...args) => (performing ? original(...args) : around(args, atomic(original)));
  };
  const atomic =
    (original: AnyFunction): AnyFunction =>
    (...args) => {
      performing = true;
      try {
        return original(...args);
      } finally {
        performing = false;
      }
    };
  const isInside = (path: unknown): path is string =>
    typeof path === 'string' && resolve(path).startsWith(inside);
  const byPath = (name: string, kind: DiskCall['kind']) =>
    tap(name, (args, original) => {
      const [path, target] = args;
      if (!isInside(path)) return original(...args);
      const extra = kind === 'rename' || kind === 'link' ? {target: String(target)} : {};
      return onCall({kind, path, ...extra, perform: () => original(...args)});
    });
  const byDescriptor = (
    name: string,
    describe: (args: unknown[], path: string, original: AnyFunction) => DiskCall,
  ) =>
    tap(name, (args, original) => {
      const path = open.get(args[0] as number);
      return path === undefined ? original(...args) : onCall(describe(args, path, original));
    });

  tap('openSync', (args, original) => {
    const [path, flags] = args;
    if (!isInside(path) && resolve(String(path)) + sep !== inside) return original(...args);
    const creates = !fs.existsSync(String(path)) && flags !== 'r';
    const perform = () => {
      const descriptor = original(...args) as number;
      open.set(descriptor, resolve(String(path)));
      return descriptor;
    };
    return creates ? onCall({kind: 'create', path: String(path), perform}) : perform();
  });
  tap('closeSync', (args, original) => {
    open.delete(args[0] as number);
    return original(...args);
  });
  byDescriptor('writeSync', (args, path, original) => {
    if (typeof args[1] === 'string') return textWrite(args, path, original);
    const [descriptor, buffer, start, length, position] = args as [
      number,
      Uint8Array,
      number,
      number,
      number,
    ];
    return {
      kind: 'write',
      path,
      bytes: buffer.slice(start, start + length),
      offset: position,
      perform: (part = length) => original(descriptor, buffer, start, part, position),
    };
  });
  tap('writeFileSync', (args, original) => {
    const [file] = args;
    const path = isInside(file) ? file : open.get(file as number);
    return path === undefined ? original(...args) : onCall(textWrite(args, path, original));
  });
  byDescriptor('fsyncSync', (args, path, original) => ({
    kind: 'sync',
    path,
    perform: () => original(...args),
  }));
  byDescriptor('ftruncateSync', (args, path, original) => ({
    kind: 'truncate',
    path,
    offset: Number(args[1] ?? 0),
    perform: () => original(...args),
  }));
  byPath('unlinkSync', 'unlink');
  tap('rmSync', (args, original) => {
    const [path] = args;
    if (!isInside(path) || !fs.existsSync(path)) return original(...args);
    return onCall({kind: 'unlink', path, perform: () => original(...args)});
  });
  byPath('linkSync', 'link');
  byPath('renameSync', 'rename');
  byPath('mkdirSync', 'folder');
  byPath('rmdirSync', 'folder');
  syncBuiltinESMExports(); // for those who imported the functions by name

  return () => {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  };
}

/** A whole text or buffer at once, by name or descriptor. Its offset is only right for a file that was empty. */
function textWrite(args: unknown[], path: string, original: AnyFunction): DiskCall {
  const [file, data, ...rest] = args as [unknown, string | Uint8Array, ...unknown[]];
  const bytes = Buffer.from(data as string); // a string or bytes: the overloads cannot say so
  const perform = (part?: number) =>
    original(file, part === undefined ? data : bytes.subarray(0, part), ...rest);
  return {kind: 'write', path, bytes, offset: 0, perform};
}

/** The files of a database, as they may lie in a folder. */
export const databaseFile = (folder: string): string => join(folder, 'a.db');
