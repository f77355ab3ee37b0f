import {createHash} from 'node:crypto';
import {dirname} from 'node:path';
import {filesUnder, type SourceFile, sourcesUnder} from '../repo/tree.ts';
import type {Area, Sources} from './areas.ts';
import {EXPLAINED, type Explanation} from './explained.ts';
import {sitesOf, type Mutation} from './sites.ts';

/** Every source file that belongs to an area. Throws for a folder or symbol that is in no source. */
export function filesOf(area: Sources, sources: readonly SourceFile[] = sourcesUnder('src')): SourceFile[] {
  const folders = [
    ...(area.folders ?? []).map((folder) => `src/${folder}`),
    ...(area.beside ?? []).map((symbol) => dirname(fileExporting(symbol, sources))),
  ];
  const single = new Set((area.exporting ?? []).map((symbol) => fileExporting(symbol, sources)));
  const empty = folders.find((folder) => !sources.some(({path}) => path.startsWith(`${folder}/`)));
  if (empty !== undefined) throw new Error(`no source below ${empty}`);
  return sources.filter(
    ({path}) => single.has(path) || folders.some((folder) => path.startsWith(`${folder}/`)),
  );
}

/** The test files of an area, in the order of its prefixes. Throws for a prefix that no test file has. */
export function testsOfArea({tests, without = []}: Pick<Area, 'tests' | 'without'>): string[] {
  const all = filesUnder('test').filter((file) => file.endsWith('.test.ts'));
  const below = (prefix: string): string[] => {
    const found = all.filter((file) => file.startsWith(prefix));
    if (found.length === 0) throw new Error(`no test ${prefix}`);
    return found;
  };
  const left = new Set(without.flatMap(below));
  return [...new Set(tests.flatMap(below))].filter((file) => !left.has(file));
}

function fileExporting(symbol: string, sources: readonly SourceFile[]): string {
  const exporting = new RegExp(`^export (?:async )?(?:function|const|class) ${symbol}\\b`, 'm');
  const found = sources.filter(({text}) => exporting.test(text));
  if (found.length === 1) return found[0]!.path;
  throw new Error(`${symbol} must be exported by one source, not by ${found.length}`);
}

/**
 * Draws mutations by a hash of the seed and of each one's own text: code that moves to another file, or that changes
 * elsewhere, leaves the sample as it was.
 */
export function draw(sites: readonly Mutation[], {seed, count}: {seed: number; count: number}): Mutation[] {
  const seen = new Map<string, number>();
  const ranked = sites.map((site) => {
    const name = nameOf(site);
    const occurrence = seen.get(name) ?? 0;
    seen.set(name, occurrence + 1);
    const rank = createHash('sha256')
      .update(JSON.stringify([seed, name, occurrence]))
      .digest('hex');
    return {site, rank};
  });
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, count).map(({site}) => site);
}

const nameOf = ({symbol, before, after}: Omit<Explanation, 'reason'>) =>
  JSON.stringify([symbol, before, after]);

const EXPLAINED_NAMES = new Set(EXPLAINED.map(nameOf));
export const isExplained = (mutation: Mutation): boolean => EXPLAINED_NAMES.has(nameOf(mutation));

/** Explanations that name no mutation, or mutations of two files: they would mislead a reader. */
export function staleExplanations(): string[] {
  const files = new Map<string, Set<string>>();
  for (const {path, text} of sourcesUnder('src'))
    for (const site of sitesOf(path, text)) {
      const name = nameOf(site);
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  return EXPLAINED.flatMap((explanation) => {
    const count = files.get(nameOf(explanation))?.size ?? 0;
    return count === 1 ? [] : [`${explanation.symbol}, found in ${count} files: ${explanation.before}`];
  });
}
