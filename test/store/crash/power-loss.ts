import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import type {Durability} from '../../../src/store/port/port.ts';
import {databaseFile, type DiskCall, tapDisk} from './disk-tap.ts';
import {runWorkload} from './workload.ts';

type Recorded = Omit<DiskCall, 'perform'> | {kind: 'committed'; generation: number};

/** Runs the workload through the WASM driver and writes down each call that changed the disk, with its bytes. */
export async function record(
  folder: string,
  durability: Durability,
  generations: number,
): Promise<Recorded[]> {
  const calls: Recorded[] = [];
  mkdirSync(folder, {recursive: true});
  const takeOut = tapDisk(folder, ({perform, ...call}) => {
    calls.push({...call, ...(call.bytes === undefined ? {} : {bytes: Uint8Array.from(call.bytes)})});
    return perform();
  });
  try {
    await runWorkload(databaseFile(folder), {
      driver: 'wasm',
      durability,
      generations,
      onCommitted: (generation) => calls.push({kind: 'committed', generation}),
    });
  } finally {
    takeOut();
  }
  return calls;
}

interface LostFile {
  durable: Uint8Array;
  pending: Recorded[];
}

/**
 * Lays out in `folder` what a disk may hold when the power goes after the first `count` calls: of each file all that was
 * synced, and of what came later only what `survives` says, call by call. Names are as durable as their order: SQLite
 * and we sync folders where it matters. Returns the last acknowledged generation.
 */
export function layOut(
  folder: string,
  calls: Recorded[],
  count: number,
  survives: (index: number) => boolean,
): number {
  const files = new Map<string, LostFile>();
  let acknowledged = -1;
  calls.slice(0, count).forEach((call) => {
    if (call.kind === 'committed') acknowledged = call.generation;
    else applyToModel(files, call);
  });
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  let index = 0;
  for (const [path, file] of files) {
    let bytes = file.durable;
    for (const call of file.pending) if (survives(index++)) bytes = applied(bytes, call);
    writeFileSync(join(folder, basename(path)), bytes);
  }
  return acknowledged;
}

function applyToModel(files: Map<string, LostFile>, call: Omit<DiskCall, 'perform'>): void {
  const file = files.get(call.path);
  switch (call.kind) {
    case 'create':
      files.set(call.path, {durable: new Uint8Array(0), pending: []});
      return;
    case 'write':
    case 'truncate':
      file?.pending.push(call);
      return;
    case 'sync':
      if (file === undefined) return; // a folder
      file.durable = file.pending.reduce(applied, file.durable);
      file.pending = [];
      return;
    case 'rename':
      files.delete(call.path);
      if (file !== undefined && call.target !== undefined) files.set(call.target, file);
      return;
    case 'unlink':
      files.delete(call.path);
      return;
    case 'folder':
    case 'link':
      return;
  }
}

function applied(before: Uint8Array, call: Recorded): Uint8Array {
  if (call.kind === 'truncate') return before.slice(0, call.offset);
  if (call.kind !== 'write' || call.bytes === undefined) return before;
  const offset = call.offset ?? 0;
  const after = new Uint8Array(Math.max(before.length, offset + call.bytes.length));
  after.set(before);
  after.set(call.bytes, offset);
  return after;
}

const WAL_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/** Ends of the frames of a write-ahead log, and whether a commit ends there (https://sqlite.org/fileformat2.html#walformat). */
export function framesOf(wal: string): {end: number; commits: boolean}[] {
  const bytes = readFileSync(wal);
  const frames: {end: number; commits: boolean}[] = [];
  for (let start = WAL_HEADER_BYTES; start + FRAME_BYTES <= bytes.length; start += FRAME_BYTES) {
    frames.push({end: start + FRAME_BYTES, commits: bytes.readUInt32BE(start + 4) !== 0});
  }
  return frames;
}
