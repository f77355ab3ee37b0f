import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {COMMAND_OPERATIONS} from '../../../src/cli/help/command-operations.ts';
import {loadCommands, type CommandMap} from '../../repo/command-lines.ts';
import {readText, ROOT} from '../../repo/tree.ts';
import {WRITING_COMMANDS, WRITING_IDS} from '../written-commands.ts';
import {CONTROL_COMMANDS} from './control-commands.ts';

const FOLDER = 'test/commands/error-matrix';
const BATCH = `${FOLDER}/batch.sweep.test.ts`;

/** Commands that write, but not by one operation of the contract, and the test that tries their errors. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['payouts', 'payins'].flatMap((topic) =>
      ['run', 'release', 'resume', 'retry', 'cancel'].map((verb) => [`${topic}:batch:${verb}`, BATCH]),
    ),
  ),
  // It sends nothing that changes a record, and writes the journal according to what it reads.
  ...Object.fromEntries(
    ['payouts', 'payins'].map((topic) => [`${topic}:batch:resolve`, `${FOLDER}/batch-resolve.sweep.test.ts`]),
  ),
  ...Object.fromEntries(Object.keys(CONTROL_COMMANDS).map((id) => [id, `${FOLDER}/control-commands.ts`])),
  'payees:import': 'test/commands/payees/import.test.ts',
  'payers:import': 'test/commands/payees/import.test.ts',
  'webhooks:endpoints:rotate': `${FOLDER}/endpoints.sweep.test.ts`,
  'webhooks:listen': `${FOLDER}/register.sweep.test.ts`, // --register
  doctor: `${FOLDER}/other-writes.sweep.test.ts`, // --probe-writes
  'webhooks:send': `${FOLDER}/other-writes.sweep.test.ts`,
  'webhooks:events:replay': `${FOLDER}/other-writes.sweep.test.ts`,
};

/** These write only to a sandbox that they have started themselves. */
const OWN_SANDBOX = ['demo', 'sandbox:start'];

/** These send no request that changes anything, with any flag. */
const READING =
  /^(whoami|commands|explain|help|schema|completion(:(un)?install)?|profiles:\w+|(payouts|payins):(batch:(approve|audit|diff|export|find|list|move|plan|policy:init|policy:check|report|state:grants|status|template)|wait)|transfers:wait|treasury:(accounts|balance|transactions)|webhooks:(event-types|sign|verify|events:(export|inspect|list|prune|show|tail))|sandbox:(certificate|magic|statement|status)|reconcile(:(confirm|forget|ignore|reject|statements))?|[\w:-]+:(get|list|show))$/;

/** How the file of a command writes: by a request of the contract, a change of the sandbox, or a webhook. */
const WRITES =
  /\b(guardWrite|sendWrite|sendSigned|replayRecorded|probeWrites|makePageLink|stopSandbox)\b|\b(create|update|approve|cancel|actOn|switch|rotate)[A-Z]\w*\b|callControl\b[^;]*'(POST|DELETE)'|\bawait write\(context|from '[^']*\/cli\/batch\/(run|retry|cancel)\//;

describe('the errors of every command that sends something', () => {
  let commands: CommandMap;
  const inTables = [
    ...new Set([...WRITING_COMMANDS.map(({id}) => id), ...Object.keys(ELSEWHERE), ...OWN_SANDBOX]),
  ];
  before(async () => {
    commands = await loadCommands();
  });

  it('are tried: each command has a table of errors, or only reads', () => {
    for (const id of commands.keys())
      assert.equal(inTables.includes(id), !READING.test(id), `${id}: in a table of errors, or in READING`);
    for (const id of inTables) assert.ok(commands.has(id), `${id} is no command`);
    for (const id of WRITING_IDS)
      assert.ok(inTables.includes(id), `${id} writes, and has no table of errors`);
  });

  it('are in a test that exists and types the command', () => {
    for (const [id, path] of Object.entries(ELSEWHERE)) {
      assert.ok(existsSync(join(ROOT, path)), path);
      assert.ok(readText(path).includes(id.split(':').at(-1)!), `${path} does not type ${id}`);
    }
  });

  it('are all that there are: no file of a command that only reads writes', () => {
    const writing = [...commands].filter(([, {path}]) => WRITES.test(readText(path))).map(([id]) => id);
    assert.deepEqual(
      writing.filter((id) => !inTables.includes(id)),
      [],
    );
    const found = writing.filter((id) => COMMAND_OPERATIONS[id] !== undefined);
    assert.deepEqual(found.sort(), [...WRITING_IDS].sort(), 'the pattern finds each write of the contract');
  });
});
