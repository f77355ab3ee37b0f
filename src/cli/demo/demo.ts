import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {batchFolder} from '../../batch/journal/folder.ts';
import {readStatus} from '../../batch/standing/status-file.ts';
import {RemitError} from '../../errors.ts';
import {must, ownJson} from '../../narrow.ts';
import {shellWord} from '../../shell-word.ts';
import type {Audit} from '../../sandbox/entities/audit.ts';
import type {RunningSandbox} from '../../sandbox/server.ts';
import type {Faults} from '../../sandbox/outcomes/faults.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import type {LocalContext} from '../core/context.ts';
import {runRemit} from './child.ts';
import {writeSample} from './sample.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type {Demo} from '../help/outputs/local.ts';

export type DemoResult = Shown<typeof Demo>;

const PAYEES = 100;
const BATCH = 'demo';
const KILL_AT_SHARE = 0.4;

/**
 * The main job from end to end on its own sandbox: plan a damaged CSV, run it while answers get lost, kill the
 * process in the middle, resume it, and run the same file again. Every step is a real `remit` process over real HTTP.
 */
export async function runDemo(local: LocalContext, options: {rows: number}): Promise<DemoResult> {
  const {out} = local;
  const folder = mkdtempSync(join(tmpdir(), 'remit-demo-'));
  const file = join(folder, 'payouts.csv');
  const statusFile = batchFolder(join(folder, 'state'), 'payout', BATCH).status;
  const {startSandbox} = await import('../../sandbox/server.ts'); // a whole server; only this command needs it
  const server = await startSandbox({store: join(folder, 'sandbox.db'), port: 0});
  const say = (text: string) => out.note(text);
  const remit = commandsOn(server, folder, local);
  try {
    say(`A sandbox is running at ${server.baseUrl}, its state in ${folder}.`);
    const {payees} = await server.sandbox.seed({payees: PAYEES, payers: 0});
    const ids = payees.map(({id}) => id);
    const sample = writeSample(file, ids, options.rows);
    say(
      `payouts.csv has ${options.rows} rows. ${sample.refused} have errors that spreadsheets and typing make, and ${sample.unknown} name a payee who does not exist.`,
    );
    await remit(['payouts', 'batch', 'plan', file, '--batch-id', BATCH]);

    addFaults(server.sandbox.faults);
    say(
      '\nNow some answers are lost or truncated, or are a 503 or 429. The rows without errors are paid; halfway through, the process is killed.',
    );
    const run = ['payouts', 'batch', 'run', file, '--batch-id', BATCH, '--valid-only', '--yes'];
    const half = () => (readStatus(statusFile)?.summary.staged ?? 0) > options.rows * KILL_AT_SHARE;
    const killed = await remit(run, half);
    if (killed === 'SIGKILL') say('\nKilled with SIGKILL. The journal shows what may have been sent:');
    else
      say(`\nThe run ended with exit code ${killed} before it could be killed; resuming shows what is left:`);
    await remit(['payouts', 'batch', 'run', BATCH]);
    const batch = readSummary(folder);
    say('\nThe same file again. Paid rows are never sent again:');
    await remit(run);
    const result = {
      folder,
      batch,
      second_run_posts: readSummary(folder).posts,
      service: booksOf(await server.sandbox.audit()),
    };
    check(result);
    say(
      `\nAccording to the service: ${result.service.paid} payouts, ${groupMajor(result.service.total)} USD. The report agrees.`,
    );
    const status = ['remit', 'payouts', 'batch', 'status', BATCH, '--state-dir', join(folder, 'state')];
    say(
      `Files are in ${folder}. The sandbox of the demo has stopped, so the commands printed above no longer work. To read the batch: ${status.map(shellWord).join(' ')}`,
    );
    say('To start your own sandbox: remit sandbox start');
    return result;
  } finally {
    await server.close();
  }
}

/**
 * Runs commands with all their state in the folder; each is shown as it would be typed there.
 * @throws RemitError INTERRUPTED or TERMINATED
 */
function commandsOn({testKey, baseUrl}: RunningSandbox, folder: string, {out, runtime}: LocalContext) {
  const env = {
    REMIT_API_KEY: testKey,
    REMIT_BASE_URL: baseUrl,
    REMIT_STATE_DIR: join(folder, 'state'),
    REMIT_CONFIG_DIR: join(folder, 'config'),
  };
  const {stop} = runtime;
  const refuseIfStopped = () => {
    if (stop.reason === undefined) return;
    throw new RemitError(
      stop.reason.code,
      `${stop.reason.message}; the sandbox of the demo has stopped, its files are in ${folder}`,
      {hint: 'to see all of it: remit demo'},
    );
  };
  return async (args: readonly string[], killWhen?: () => boolean) => {
    refuseIfStopped();
    out.note(`\n$ remit ${args.map((arg) => (dirname(arg) === folder ? basename(arg) : arg)).join(' ')}`);
    const ended = await runRemit(args, {quiet: !out.forPeople || out.settings.quiet, env, stop, killWhen});
    refuseIfStopped(); // what stops the demo stops the command, too
    return ended;
  };
}

/** The faults of networks and services on a bad day. */
function addFaults(faults: Faults): void {
  const match = {operation: 'payouts.create'} as const;
  faults.add({match, probability: 0.01, effect: {kind: 'reset', when: 'after'}});
  faults.add({match, probability: 0.005, effect: {kind: 'cut'}});
  faults.add({match, probability: 0.01, effect: {kind: 'status', status: 503, when: 'after'}});
  faults.add({
    match: {...match, nth: 200},
    effect: {kind: 'status', status: 429, when: 'before', retry_after: 1},
  });
}

const readSummary = (folder: string): DemoResult['batch'] =>
  ownJson<DemoResult['batch']>(readFileSync(join(folder, `${BATCH}.summary.json`), 'utf8')); // written by the run before

const PAID = ['approved', 'initiated', 'debited', 'settled', 'failed'] as const;

function booksOf(audit: Audit): DemoResult['service'] {
  const entity = audit.entities.find(({mode}) => mode === 'test');
  const {payouts} = must(entity, 'test entity in the sandbox');
  const tallies = PAID.map((status) => payouts[status]);
  const cents = tallies.reduce((sum, tally) => sum + BigInt(tally?.amount ?? 0), 0n);
  return {
    paid: tallies.reduce((sum, tally) => sum + (tally?.count ?? 0), 0),
    total: formatMajor(cents, 'USD'),
    ledger_balanced: audit.balanced,
  };
}

/** Verifies the result: report and ledger must agree. */
function check({batch, second_run_posts: posts, service}: DemoResult): void {
  const reported = batch.totals['USD']?.accepted;
  if (
    service.paid !== batch.accepted ||
    service.total !== reported ||
    !service.ledger_balanced ||
    posts !== 0
  )
    throw new RemitError(
      'BUG',
      `the report says ${batch.accepted} payouts, ${reported} USD; the ledger says ${service.paid}, ${service.total}; the second run sent ${posts}`,
    );
}
