/** A part of the sources that is mutated, and the tests that must notice. Paths are relative to the project. */
export interface Area {
  name: string;
  /** Source files, as prefixes of paths. */
  sources: readonly string[];
  /** Folders of tests. Of these, only the files that import the mutated file are run. */
  tests: readonly string[];
}

/** The parts where a wrong line costs money, a secret or a lie to a script. */
export const AREAS: readonly Area[] = [
  {name: 'money', sources: ['src/money/'], tests: ['test/money/']},
  {name: 'contract', sources: ['src/contract/'], tests: ['test/contract/', 'test/client/', 'test/commands/']},
  {name: 'client', sources: ['src/client/'], tests: ['test/client/', 'test/commands/']},
  {name: 'batch', sources: ['src/batch/'], tests: ['test/batch/', 'test/commands/']},
  {name: 'webhooks', sources: ['src/webhooks/'], tests: ['test/webhooks/', 'test/commands/']},
  {name: 'profiles', sources: ['src/profiles/'], tests: ['test/profiles/', 'test/commands/', 'test/cli/']},
  {
    name: 'guard',
    sources: ['src/cli/guard', 'src/cli/amounts.ts', 'src/cli/answered-record.ts', 'src/cli/send-once.ts'],
    tests: ['test/cli/', 'test/commands/'],
  },
  {name: 'output', sources: ['src/output/'], tests: ['test/output/', 'test/commands/', 'test/cli/']},
];
