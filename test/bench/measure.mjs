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

/**
 * Measures on each version of Node; the exit code says whether every version could be had and no goal was missed.
 * @param measure gets the path of a Node and its title; returns how many goals were missed
 */
export async function measureOn(versions, measure) {
  let missed = 0;
  for (const version of versions) {
    const node = nodeBinary(version);
    if (node === undefined) {
      console.log(`Node ${version} could not be had from npm.`);
      missed += 1;
      continue;
    }
    const title = `Node ${spawnSync(node, ['--version'], {encoding: 'utf8'}).stdout.trim()}`;
    missed += await measure(node, title);
  }
  process.exitCode = missed === 0 ? 0 : 1;
}

/** Node of a major version; undefined if npm does not have it. */
function nodeBinary(version) {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(fetched(`node-${version}`, `${name}@${version}`), name, 'bin', 'node');
  return existsSync(path) ? path : undefined;
}
