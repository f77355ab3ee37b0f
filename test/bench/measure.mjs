// What the benchmarks of processes share: medians, and the Node versions that they run on.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A folder for what npm brings; kept, so that a second run starts at once. */
export function fetched(name, spec) {
  const folder = join(tmpdir(), 'remit-bench-packages', name);
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, {recursive: true});
    spawnSync(
      'npm',
      ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, spec],
      {
        stdio: 'ignore',
      },
    );
  }
  return join(folder, 'node_modules');
}

/** Node of a major version; undefined if npm does not have it. */
export function nodeBinary(version) {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(fetched(`node-${version}`, `${name}@${version}`), name, 'bin', 'node');
  return existsSync(path) ? path : undefined;
}
