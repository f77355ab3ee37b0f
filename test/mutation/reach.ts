import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {basename, join, posix} from 'node:path';
import {ROOT} from './workshop.ts';

/** All files below a folder of the project, as paths from its root with `/`. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll('\\', '/'))
    .sort();
}

/** The test files below each folder or with each prefix, in the order of the prefixes. */
export function testsBelow(prefixes: readonly string[]): string[] {
  const all = filesBelow('test').filter((file) => file.endsWith('.test.ts'));
  return [...new Set(prefixes.flatMap((prefix) => all.filter((file) => file.startsWith(prefix))))];
}

/** For each test file, the source files that it imports, directly or not. */
export type Reach = ReadonlyMap<string, ReadonlySet<string>>;

export function reachOf(tests: readonly string[]): Reach {
  const imports = new Map<string, readonly string[]>();
  const reached = (test: string): Set<string> => {
    const found = new Set([test]);
    for (const file of found) {
      if (!imports.has(file)) imports.set(file, importsOf(file));
      for (const one of imports.get(file)!) found.add(one);
    }
    return found;
  };
  return new Map(tests.map((test) => [test, reached(test)]));
}

const TYPES_ONLY = /^(?:import|export) type [^;]*;/gm;
const COMPUTED = /\bimport\(`/;

/** A relative path in quotes: also of a script that is imported by a name in a variable. */
const RELATIVE = /['"](\.{1,2}\/[^'"\n]+\.(?:ts|mjs))['"]/g;

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(TYPES_ONLY, '');
  const relative = [...text.matchAll(RELATIVE)]
    .map(([, name]) => posix.join(posix.dirname(file), name!))
    .filter((name) => existsSync(join(ROOT, name)));
  // A computed import, such as that of all commands, may load any source.
  return COMPUTED.test(text) ? [...relative, ...filesBelow('src')] : relative;
}

/** Tests that import the file: those that carry its name first, since they notice soonest. */
export function testsOf(file: string, reach: Reach): {named: string[]; others: string[]} {
  const importing = [...reach].filter(([, sources]) => sources.has(file)).map(([test]) => test);
  const name = basename(file, '.ts');
  const isNamed = (test: string) => basename(test, '.test.ts') === name;
  return {named: importing.filter(isNamed), others: importing.filter((test) => !isNamed(test))};
}
