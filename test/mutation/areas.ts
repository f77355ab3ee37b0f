/** A part of the sources that is mutated, and the tests that must notice. Paths are relative to the project. */
export interface Area {
  name: string;
  /** Source files, as prefixes of paths. */
  sources: readonly string[];
  /**
   * Test files, as prefixes of paths, in the order in which they are run. Only the files that import the mutated file
   * are run. Tests elsewhere may notice a mutation by chance; an area names those that are meant to.
   */
  tests: readonly string[];
}

/** Commands that write money, over a fake service: quick, and they check each request that leaves. */
const WRITES = [
  'test/commands/payouts/writes',
  'test/commands/payouts/create-answers',
  'test/commands/transfers/',
  'test/commands/moves/',
  'test/commands/treasury/',
  'test/commands/api',
  'test/commands/empty-answers',
  'test/commands/lost-output',
  'test/commands/webhooks/endpoints',
];

/** The parts where a wrong line costs money, a secret or a lie to a script. */
export const AREAS: readonly Area[] = [
  {name: 'money', sources: ['src/money/'], tests: ['test/money/']},
  {name: 'contract', sources: ['src/contract/'], tests: ['test/contract/', 'test/client/', ...WRITES]},
  {name: 'client', sources: ['src/client/'], tests: ['test/client/', ...WRITES]},
  {name: 'batch', sources: ['src/batch/'], tests: ['test/batch/']},
  {name: 'webhooks', sources: ['src/webhooks/'], tests: ['test/webhooks/']},
  {
    name: 'profiles',
    sources: ['src/profiles/'],
    tests: ['test/profiles/', 'test/commands/profiles/', 'test/cli/'],
  },
  {
    name: 'guard',
    sources: ['src/cli/guard', 'src/cli/amounts.ts', 'src/cli/answered-record.ts', 'src/cli/send-once.ts'],
    tests: ['test/cli/', ...WRITES],
  },
  {
    name: 'sanitize',
    sources: ['src/sanitize/'],
    tests: ['test/sanitize/', 'test/output/hostile-text'],
  },
  {
    name: 'output',
    sources: ['src/output/'],
    tests: ['test/output/', ...WRITES, 'test/commands/fields'],
  },
];
