import {readdirSync} from 'node:fs';
import {basename, join} from 'node:path';
import {build} from 'esbuild';
import {ROOT} from './workshop.ts';

/** All files below a folder of the project, as paths from its root with `/`. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll('\\', '/'))
    .sort();
}

/** For each test file, the source files that it imports, directly or not. */
export type Reach = ReadonlyMap<string, ReadonlySet<string>>;

export async function reachOf(tests: readonly string[]): Promise<Reach> {
  const reach = new Map<string, ReadonlySet<string>>();
  for (const test of tests) {
    const {metafile} = await build({
      absWorkingDir: ROOT,
      entryPoints: [test],
      ...{bundle: true, write: false, metafile: true, logLevel: 'silent'},
      ...{platform: 'node', format: 'esm', packages: 'external', outdir: 'dist'},
      loader: {'.node': 'empty'},
    });
    reach.set(test, new Set(Object.keys(metafile.inputs)));
  }
  return reach;
}

/** Tests that import the file: those that carry its name first, since they notice soonest. */
export function testsOf(file: string, reach: Reach): {named: string[]; others: string[]} {
  const importing = [...reach].filter(([, sources]) => sources.has(file)).map(([test]) => test);
  const name = basename(file, '.ts');
  const isNamed = (test: string) => basename(test, '.test.ts') === name;
  return {named: importing.filter(isNamed), others: importing.filter((test) => !isNamed(test))};
}
