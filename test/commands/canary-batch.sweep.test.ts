import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {payeeId} from '../batch/harness.ts';
import {isRelease, type SeenRequest} from '../batch/truth-service.ts';
import {BASE_URL, type CliResult} from '../cli/run-cli.ts';
import {readJson} from '../repo/tree.ts';
import {ACCOUNT, activeIn, API_KEY, CARD, ECHO, filesUnder, secretsIn} from '../sanitize/canaries.ts';
import {hostileRecord, LEAKS} from './hostile-service.ts';
import {Desk} from './payouts/batch/desk.ts';

const INPUT = 'rows.csv';
const isOf = ({body, path}: SeenRequest, n: number, ids: Map<string, number>) =>
  body.includes(`"R-${n}"`) || ids.get(path.split('/')[3] ?? '') === n;

/** Every verb, in an order in which each has something to do. `{row}` in doubt is R-6. */
const LINES = [
  'template',
  `plan ./${INPUT} --batch-id b --ignore-column Account --ignore-column Card`,
  `plan ./${INPUT} --batch-id b --ignore-column Account --ignore-column Card --html ./b.plan.html`,
  'run b --yes --stage-only',
  'release b --yes --accept rest',
  'status b',
  'status b -o json',
  'status b --refresh',
  'status b --refresh -o yaml',
  'list',
  'list -o json',
  'list -o csv',
  'find r-6',
  'find R-2 -o json',
  'status b --row R-2',
  'status b --row R-6 -o csv',
  'report b --html',
  'report b -o json',
  'export b',
  'export b -o json',
  'export b --refresh -o ndjson',
  `diff ./${INPUT} b --ignore-column Account --ignore-column Card`,
  `diff ./${INPUT} --ignore-column Account --ignore-column Card -o json`,
  'retry b --yes',
  'retry b --yes -o json',
  'resolve b R-6 --not-paid --unseen',
  'resume b --yes --accept rest',
  'resume b --yes --accept rest -o json --until settled --timeout 3s',
  'report b --html',
  'status b -o json',
  'cancel b --yes',
  'cancel b --yes -o json',
];

for (const topic of ['payouts', 'payins'] as const)
  describe(`secrets of a hostile service in ${topic} batch`, function () {
    let desk: Desk;
    beforeEach(() => {
      desk = new Desk();
      const ids = new Map<string, number>();
      const {service} = desk;
      const rowOf = (request: SeenRequest) => [1, 2, 3, 4, 5, 6, 7, 8].find((n) => isOf(request, n, ids));
      service.fault = (request) => {
        if (rowOf(request) === 2) return {status: 422, body: {error_code: API_KEY, message: ECHO, ...LEAKS}};
        if (rowOf(request) === 6)
          return {status: 500, body: {error: {code: API_KEY, message: ECHO}, ...LEAKS}};
        return undefined;
      };
      service.approvalFails = (body) => [body['payee_id'], body['payer_id']].includes(payeeId(3));
      service.distort = (record, request) => {
        const {status, client_metadata: metadata, ...rest} = record;
        const row = rowOf(request);
        if (row !== undefined) ids.set(String(record['id']), row);
        const echoed = {...hostileRecord(rest), status, client_metadata: metadata, warning: ECHO};
        if (row === 4) return {...echoed, client_metadata: {remit_reference: ECHO, note: API_KEY}}; // held
        if (row === 5 && !isRelease(request) && status === 'approved') return {...echoed, status: 'failed'};
        if (row === 7) return {...echoed, id: `${String(record['id'])} ${API_KEY}`}; // no readable record
        if (row === 8 && status === 'approved') return {...echoed, status: `under way ${ECHO}`};
        return echoed;
      };
      const party = topic === 'payouts' ? 'payee_id' : 'payer_id';
      const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `R-${n},${payeeId(n)},${n}.00,USD,${ACCOUNT},${CARD}`);
      writeFileSync(
        join(desk.folder, INPUT),
        `reference,${party},amount,currency_code,Account,Card\n${rows.join('\n')}\n`,
      );
    });
    afterEach(() => desk.close());

    it('are in no output, journal, registry, result, report or status file', async () => {
      const env = {HOME: desk.folder, REMIT_API_KEY: API_KEY, REMIT_BASE_URL: BASE_URL, USER: 'ada'};
      const ended: string[] = [];
      const states: object[] = [];
      for (const line of LINES) {
        const ran = await desk.batch(`${line} --debug`, {topic, env});
        ended.push(`${line}: ${ran.exitCode}`);
        if (line === 'status b -o json') states.push(ran.json() as object);
        scan(ran, line);
      }
      // Otherwise nothing of the above was tried.
      const seen = states.flatMap((one) => Object.entries(one).filter(([, count]) => Number(count) > 0));
      for (const state of ['rejected', 'unapproved', 'held', 'in_doubt', 'failed'])
        assert.ok(
          seen.some(([name]) => name === state),
          `${state} in none of ${ended.join(', ')}`,
        );
    });

    function scan({stdout, stderr, exitCode}: CliResult, line: string): void {
      const where = `${line} (exit ${exitCode})\n${stdout}\n${stderr}`;
      assert.ok(![1, 2].includes(exitCode), where);
      for (const written of [stdout, stderr]) {
        assert.deepEqual(secretsIn(written), [], where);
        assert.deepEqual(activeIn(written), [], where);
      }
      for (const {path, text} of filesUnder(desk.folder)) {
        if (path.endsWith(INPUT)) continue; // the user's own
        assert.deepEqual(secretsIn(text), [], `${path} after ${where}`);
        if (/\.(?:csv|html)$/.test(path)) assert.deepEqual(activeIn(text), [], `${path} after ${where}`);
      }
    }
  });

describe('secrets of a hostile service in a batch', () => {
  it('are looked for in every verb', () => {
    const {commands} = readJson('.oclif.manifest.json') as {commands: Record<string, unknown>};
    // These send nothing to the service, so it repeats nothing to them.
    const others = /:batch:(?:approve|audit|move|policy:\w+|state:\w+)$/;
    const verbs = Object.keys(commands)
      .filter((id) => id.startsWith('payouts:batch:') && !others.test(id))
      .map((id) => id.split(':').at(-1)!);
    const tried = new Set(LINES.map((line) => line.split(' ')[0]!));
    assert.deepEqual(
      verbs.filter((verb) => !tried.has(verb)),
      [],
      'add them to LINES in test/commands/canary-batch.sweep.test.ts',
    );
  });
});
