import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import type {catalogue, CommandFacts} from '../../../src/cli/help/catalogue.ts';
import {globalFlags} from '../../../src/cli/input/global-flags.ts';
import {runCli, sourceConfig} from '../run-cli.ts';

interface Schemas {
  operation: string;
  method: string;
  path: string;
  body: {properties: Record<string, unknown>; $schema: string} | null;
  answers: Record<string, {properties?: Record<string, unknown>} | null>;
}
interface CommandSchemas extends CommandFacts {
  input: {properties: Record<string, {type: string; enum?: string[]}>; required: string[]};
  operation_schemas: Schemas[];
}

const schema = async <T>(...words: string[]): Promise<T> => {
  const ran = await runCli(['schema', ...words, '--json']);
  assert.equal(ran.exitCode, 0, ran.stderr);
  return ran.json() as T;
};

describe('remit commands', () => {
  it('lists every command with every argument and flag', async () => {
    const config = await sourceConfig();
    const ran = await runCli(['commands', '--json']);
    const {commands, global_flags} = ran.json() as ReturnType<typeof catalogue>;
    assert.deepEqual(
      commands.map(({command}) => command),
      config.commands.flatMap(({id, hidden}) => (hidden ? [] : [id.replaceAll(':', ' ')])).sort(),
    );
    assert.deepEqual(
      global_flags.map(({name}) => name),
      Object.keys(globalFlags),
    );
    for (const {command, flags, args} of commands) {
      const own = config.findCommand(command.replaceAll(' ', ':'), {must: true});
      assert.deepEqual(
        flags.map(({name}) => name),
        Object.keys(own.flags).filter((name) => !(name in globalFlags)),
      );
      assert.deepEqual(
        args.map(({name}) => name),
        Object.keys(own.args),
      );
    }
    const create = commands.find(({command}) => command === 'payouts create');
    assert.deepEqual(create?.operations, ['payouts.create']);
    assert.equal(create?.reads_only, false);
    assert.equal(commands.find(({command}) => command === 'payouts list')?.reads_only, true);
    assert.doesNotMatch(JSON.stringify(commands), /<%/);
  });

  it('shows people one line for each', async () => {
    const {stdout} = await runCli(['commands']);
    assert.match(stdout, /^payouts create +Create a payout: send money to a payee$/m);
  });
});

describe('remit schema', () => {
  it('knows every operation, with each of its answers', async () => {
    for (const {id, operation} of allOperations()) {
      const found = await schema<Schemas>(id);
      assert.equal(found.operation, id);
      assert.deepEqual(Object.keys(found.answers), Object.keys(operation.ok), id);
      assert.equal(found.body === null, operation.body === undefined, id);
    }
    const {body, answers, method, path} = await schema<Schemas>('payouts.create');
    assert.equal(body?.$schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.ok('payee_id' in body.properties);
    assert.ok('status' in (answers['200']?.properties ?? {}));
    assert.deepEqual([method, path], ['POST', '/api/payouts']);
  });

  it('has the flags and the operations of a command', async () => {
    const {input, operation_schemas} = await schema<CommandSchemas>('payins', 'list');
    assert.deepEqual(input.properties['order']?.enum, ['asc', 'desc']);
    assert.equal(input.properties['all']?.type, 'boolean');
    assert.deepEqual(
      operation_schemas.map(({operation}) => operation),
      ['payins.list'],
    );
    assert.deepEqual((await schema<CommandSchemas>('payouts', 'create')).input.required, ['payee']);
    for (const id of (await sourceConfig()).commandIDs) {
      const {command} = await schema<CommandSchemas>(...id.split(':'));
      assert.equal(command, id.replaceAll(':', ' '));
    }
  });

  it('shows the routes of the service file in use', async () => {
    const {path} = await schema<Schemas>('payouts.create');
    assert.equal(path, '/api/payouts');
  });

  it('suggests a similar operation or command', async () => {
    for (const [words, hint] of [
      [['payout.create'], 'remit schema payouts.create'],
      [['payouts', 'craete'], 'remit schema payouts create'],
      [['what-is-this-thing'], 'remit help operations'],
    ] as const) {
      const {exitCode, stderr} = await runCli(['schema', ...words]);
      assert.equal(exitCode, 2);
      assert.match(stderr, new RegExp(`Hint: ${hint}\n`));
    }
  });
});
