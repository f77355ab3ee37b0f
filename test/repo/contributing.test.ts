import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {ROOT, filesUnder, readText} from './tree.ts';

const PAGE = 'CONTRIBUTING.md';

interface List {
  /** Something that was added to the project by this list; its name is in each file that the list must name. */
  example: RegExp;
  /** Files that the list names although the example did not need them. */
  sometimes?: readonly string[];
  /** Files with the example that are about its meaning, so that no list can know them. */
  meaning?: RegExp;
}

const LISTS: Readonly<Record<string, List>> = {
  'Add a command': {
    example: /treasury[: ]label|TreasuryLabel/,
    sometimes: ['package.json', 'CHANGELOG.md'],
    meaning: /next-step\.ts$/,
  },
  'Add an operation of the service': {
    example: /updateLabel|update-label|\(22\)|^ {2}22: |'assumed\.22'|assumed\(22\)|AccountLabelUpdate/m,
    sometimes: [
      'src/contract/origin/field-origins.ts',
      'src/contract/schemas/registry.ts',
      'src/sandbox/handlers/all.ts',
      'src/client/client.ts',
      'docs/internals/assumptions.md',
      'test/sandbox/api/refusals.test.ts',
      'test/sandbox/fuzz/requests.ts',
    ],
    meaning: /^src\/(cli|commands)\//, // the command has a list of its own
  },
  'Add a field to a request': {
    example: /scheduled[_-]date/,
    sometimes: [
      'src/contract/origin/assumed-fields.ts',
      'src/sandbox/transfers/admission.ts',
      '.oclif.manifest.json',
      'CHANGELOG.md',
    ],
    meaning:
      /^src\/(automation|batch|reconcile|cli\/(write|batch|help\/outputs)|sandbox\/(time|transfers))\b/,
  },
  'Add a list filter': {
    example: /created[_-]from/,
    sometimes: ['CHANGELOG.md'],
    meaning: /^src\/cli\/reconcile\//,
  },
  'Add a control call of the sandbox': {
    example: /\bredeliver\b/,
    sometimes: [
      'src/sandbox/control/bodies.ts',
      'src/sandbox/control/answers.ts',
      'src/sandbox/base/shown-records.ts',
    ],
    meaning:
      /^src\/(sandbox\/(webhooks|page|local-sandbox)|commands|cli\/help\/outputs)\b|openapi\.json$|^\.oclif/,
  },
  'Add a column to batch files': {
    example: /\bscheduled\b|scheduled_date/,
    sometimes: [
      'src/batch/input/rows.ts',
      'src/batch/journal/binding.ts',
      'src/batch/journal/facts.ts',
      'test/batch/input/rows.test.ts',
      'CHANGELOG.md',
      'test/batch/answers/answers.test.ts',
    ],
    meaning: /^(src\/(?!batch)|docs\/reference|\.oclif)|^src\/batch\/(journal\/draft|plan\/figures)\.ts$/,
  },
  'Add a scenario to the sandbox': {
    example: /settle_slow|slowSettle/,
    meaning: /account-transfer-steps\.ts$/,
  },
  'Add an event': {
    example: /subaccount\.credit_received|SubaccountCreditEventData|emitCreditReceived/,
    sometimes: ['src/sandbox/webhooks/event-audit.ts'],
    meaning: /^src\/(cli|sandbox\/(transfers|control|ledger))\b|docs\/reference\/control\.md$/,
  },
  'Add an error': {example: /\bBATCH_CANCELED\b/, meaning: /^src\/(batch|cli)\//},
};

function section(heading: string): string {
  const found = readText(PAGE)
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  assert.ok(found, `${PAGE} has no list "${heading}"`);
  return found;
}

/** Paths in code marks, of files that are in the repository; `<topic>` stands for any name. */
const pathsIn = (text: string): string[] => [
  ...new Set(
    [
      ...text.matchAll(
        /`((?:src|test|docs)\/[\w./<>-]+|package\.json|\.oclif\.manifest\.json|CHANGELOG\.md)`/g,
      ),
    ]
      .map(([, path]) => path!)
      .filter((path) => /\.\w+$/.test(path)),
  ),
];

/** Generated files that repeat what the sources say; tests keep them fresh. */
const GENERATED = [
  'docs/reference/commands.md',
  'docs/reference/output.schema.json',
  'docs/reference/library.md',
];

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.\\]/g, '\\$&').replace(/<\w+>/g, '[\\w./-]+')}$`);

/** What is wrong with a list, one line each. Files in brackets are not to be changed: they fail. */
function faultsOf(
  heading: string,
  {example, sometimes = [], meaning}: List,
  text = section(heading),
): string[] {
  const toChange = pathsIn(text.replace(/\[[^\]]*\]/g, ''));
  const exact = toChange.filter((path) => !path.includes('<'));
  const faults = pathsIn(text)
    .filter((path) => !path.includes('<') && !existsSync(join(ROOT, path)))
    .map((path) => `${path} does not exist`);
  for (const path of exact)
    if (existsSync(join(ROOT, path)) && !sometimes.includes(path) && !example.test(readText(path)))
      faults.push(`${path} is named, but has nothing like ${String(example)}`);
  for (const path of sometimes) if (!exact.includes(path)) faults.push(`${path} is not named any more`);
  const patterns = toChange.map(patternOf);
  for (const path of [...filesUnder('src'), ...filesUnder('docs/reference'), '.oclif.manifest.json'])
    if (
      !GENERATED.includes(path) &&
      !patterns.some((pattern) => pattern.test(path)) &&
      !meaning?.test(path) &&
      example.test(readText(path))
    )
      faults.push(`${path} has ${String(example)}, but is not named`);
  return faults.map((fault) => `${PAGE}, ${heading}: ${fault}`);
}

describe(PAGE, () => {
  for (const [heading, list] of Object.entries(LISTS))
    it(`names the files to change: ${heading}`, () => assert.equal(faultsOf(heading, list).join('\n'), ''));

  it('is caught when a list names too little, too much, or a file that is gone', () => {
    const list = LISTS['Add an error']!;
    const faults = (text: string) => faultsOf('Add an error', list, text).length;
    const whole = '`src/errors.ts` and `docs/reference/errors.md`';
    assert.equal(faults(whole), 0);
    assert.equal(faults('`src/errors.ts`'), 1);
    assert.equal(faults(`${whole} and \`src/clock.ts\``), 1);
    assert.equal(faults(`${whole} and \`src/gone.ts\``), 1);
    assert.equal(faults(`${whole} [\`test/gone.test.ts\`]`), 1);
  });

  it('has no other lists', () => {
    const headings = [...readText(PAGE).matchAll(/^## (Add .+)$/gm)].map(([, heading]) => heading!);
    assert.deepEqual(headings.sort(), [...Object.keys(LISTS), 'Add a package'].sort());
  });
});
