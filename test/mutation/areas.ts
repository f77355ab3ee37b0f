/** Source files. Within `src`, files are named by what they export, so that one can be moved without a change here. */
export interface Sources {
  /** Whole folders of `src`. */
  folders?: readonly string[];
  /** All files of the folders in which these symbols are exported. */
  beside?: readonly string[];
  /** The files that export these symbols. */
  exporting?: readonly string[];
}

/** A part of the sources that is mutated, and the tests that must notice. */
export interface Area {
  name: string;
  sources: Sources;
  /**
   * Test files, as prefixes of paths from the project's root. Only those that run the mutated function in their own
   * process are run. Tests elsewhere may notice a mutation by chance; an area names those that are meant to.
   */
  tests: readonly string[];
  /** The part of the changes that must be noticed (0.9). */
  needed?: number;
  /** Test files among them, as prefixes, that cannot run over sources in which calls are recorded. */
  without?: readonly string[];
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

/**
 * Commands that show a batch, or repair one: what its pages, rows and copies say, what a person states, and what becomes
 * of records that had failed.
 */
const SHOWN = [
  ...['plan-page', 'find', 'diff', 'export', 'workbook', 'resolve', 'retry', 'elsewhere', 'former-records'],
  ...[
    'changed-references',
    'record-of-other-batch',
    'goes-on',
    'lost-approvals',
    'held-rows',
    'open-creates',
  ],
].map((name) => `test/commands/payouts/batch/${name}`);

/** The parts where a wrong line costs money, a secret or a lie to a script. */
export const AREAS: readonly Area[] = [
  {name: 'money', sources: {folders: ['money']}, tests: ['test/money/']},
  {name: 'contract', sources: {folders: ['contract']}, tests: ['test/contract/', 'test/client/', ...WRITES]},
  {name: 'client', sources: {folders: ['client']}, tests: ['test/client/', ...WRITES]},
  // The crash tests replace texts of the sources.
  {
    name: 'batch',
    sources: {folders: ['batch']},
    tests: ['test/batch/', ...SHOWN],
    without: ['test/batch/crash/'],
  },
  {name: 'webhooks', sources: {folders: ['webhooks']}, tests: ['test/webhooks/', 'test/commands/webhooks/']},
  {
    name: 'profiles',
    sources: {folders: ['profiles']},
    tests: ['test/profiles/', 'test/commands/profiles/', 'test/cli/'],
  },
  {
    name: 'guard',
    sources: {beside: ['checkCaps'], exporting: ['guardWrite', 'amountOfFlags', 'noteCreated', 'sendWrite']},
    tests: ['test/cli/', ...WRITES, 'test/commands/test-only', 'test/commands/payouts/batch/caps'],
  },
  {
    name: 'sanitize',
    sources: {folders: ['sanitize']},
    tests: ['test/sanitize/', 'test/output/hostile-text', 'test/output/bank-numbers'],
  },
  {
    name: 'doubts',
    sources: {folders: ['doubts', 'cli/doubts']},
    tests: ['test/commands/doubts', 'test/commands/own-keys'],
  },
  {name: 'json', sources: {folders: ['json']}, tests: ['test/json/', 'test/commands/exact-numbers']},
  {name: 'service', sources: {folders: ['service']}, tests: ['test/service/', 'test/client/']},
  {name: 'doctor', sources: {folders: ['cli/doctor']}, tests: ['test/cli/doctor/']},
  {
    name: 'reconcile',
    sources: {
      folders: [
        'reconcile/model',
        'reconcile/book',
        'reconcile/match',
        'reconcile/page',
        'reconcile/statement',
      ],
      exporting: ['returnedRows'],
    },
    tests: [
      ...['test/reconcile/model/', 'test/reconcile/book/', 'test/reconcile/match/', 'test/reconcile/page/'],
      ...['test/reconcile/statement/', 'test/batch/report/returned'],
    ],
    needed: 0.95,
  },
  {
    name: 'output',
    sources: {folders: ['output']},
    tests: ['test/output/', ...WRITES, 'test/commands/fields'],
  },
];
