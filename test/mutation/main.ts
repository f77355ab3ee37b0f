/**
 * `npm run mutants`: draws small wrong changes of the sources at random, area by area, and runs the tests of the area
 * over each. Prints every change that no test noticed. Those of explained.ts, which no test can notice, are not drawn.
 * Exits 1 when an area's tests notice fewer than the area needs: 90%, or what areas.ts says.
 *
 *   --each N      mutations an area (60)
 *   --seed S      what is drawn (1); `random` for a new one, which is printed
 *   --area NAME   only this area; repeatable
 *   --file TEXT   only files with this in their path; repeatable
 *   --workers N   copies of the project tested at a time (2)
 */
import {parseArgs} from 'node:util';
import type {SourceFile} from '../repo/tree.ts';
import {AREAS, type Area} from './areas.ts';
import {testsOf, type Coverage} from './coverage.ts';
import {draw, filesOf, isExplained, staleExplanations, testsOfArea} from './sample.ts';
import {sitesOf, type Mutation} from './sites.ts';
import {Workshop} from './workshop.ts';

const {values} = parseArgs({
  options: {
    each: {type: 'string', default: '60'},
    seed: {type: 'string', default: '1'},
    area: {type: 'string', multiple: true},
    file: {type: 'string', multiple: true, default: ['']},
    workers: {type: 'string', default: '2'},
  },
});
const seed = values.seed === 'random' ? Math.floor(Math.random() * 1e9) : Number(values.seed);
const say = (text: string) => void process.stdout.write(`${text}\n`);

function mutationsOf(sources: readonly SourceFile[]): Mutation[] {
  const sites = sources
    .filter(({path}) => values.file.some((part) => path.includes(part)))
    .flatMap(({path, text}) => sitesOf(path, text))
    .filter((site) => !isExplained(site));
  return draw(sites, {seed, count: Number(values.each)});
}

/** Runs groups of tests one after the other until one notices. */
async function isNoticed(
  mutation: Mutation,
  workshop: Workshop,
  groups: readonly string[][],
): Promise<boolean> {
  for (const tests of groups) {
    const {noticed} = await workshop.tryOut(mutation, tests, timeoutMsFor(tests));
    if (noticed) return true;
  }
  return false;
}

/** Far more than the tests take on a busy machine, since what is stopped by it counts as noticed. */
const timeoutMsFor = (tests: readonly string[]): number => 60_000 + 10_000 * tests.length;

/** What each test runs. Tests that fail without a mutation would notice every one, so they throw. */
async function coverageOf(area: Area, sources: readonly SourceFile[], workshop: Workshop): Promise<Coverage> {
  const tests = testsOfArea(area);
  const {noticed, output, coverage} = await workshop.cover(sources, tests, timeoutMsFor(tests));
  if (noticed) throw new Error(`the tests fail without a mutation:\n${output}`);
  return coverage;
}

async function survivorsOf(
  mutations: readonly Mutation[],
  area: Area,
  sources: readonly SourceFile[],
): Promise<Mutation[]> {
  const sourceAt = (path: string) => sources.find((source) => source.path === path)!;
  const waiting = mutations.values();
  const survivors: Mutation[] = [];
  const work = async (workshop: Workshop, coverage: Coverage): Promise<void> => {
    for (const mutation of waiting)
      if (!(await isNoticed(mutation, workshop, testsOf(mutation, sourceAt(mutation.file), coverage)))) {
        survivors.push(mutation);
        say(`  survived ${where(mutation)}`);
      }
  };
  const workshops = Array.from({length: Number(values.workers)}, () => new Workshop());
  try {
    const coverage = await coverageOf(area, sources, workshops[0]!);
    await Promise.all(workshops.map((workshop) => work(workshop, coverage)));
  } finally {
    for (const workshop of workshops) workshop.remove();
  }
  return survivors;
}

const where = ({file, line, symbol, before, after}: Mutation) =>
  `${file}:${line} in ${symbol}\n    - ${before}\n    + ${after}`;

say(`seed ${seed}, ${values.each} mutations an area`);
const failed: string[] = staleExplanations().map(
  (line) => `explained.ts must name a line of one file: ${line}`,
);
for (const area of AREAS) {
  if (values.area !== undefined && !values.area.includes(area.name)) continue;
  const sources = filesOf(area.sources); // read once: the checkout may change during the run
  const mutations = mutationsOf(sources);
  const survivors = await survivorsOf(mutations, area, sources);
  const rate = mutations.length === 0 ? 0 : 1 - survivors.length / mutations.length;
  say(
    `${area.name.padEnd(9)} ${mutations.length - survivors.length} of ${mutations.length} noticed ` +
      `(${(rate * 100).toFixed(0)}%)`,
  );
  const {needed = 0.9} = area;
  if (rate < needed)
    failed.push(`${area.name}: ${(rate * 100).toFixed(0)}% noticed, ${needed * 100}% needed`);
}
for (const line of failed) say(`failed: ${line}`);
if (failed.length > 0) process.exitCode = 1;
