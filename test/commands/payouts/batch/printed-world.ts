import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {EXIT} from '../../../../src/errors.ts';
import {BASE_URL, LIVE_KEY, runCli} from '../../../cli/run-cli.ts';
import {BatchBench} from '../../error-matrix/batch-bench.ts';
import {statusFault} from '../../error-matrix/batch-faults.ts';

/** How a batch came to its end state, and what is different when its commands are typed. */
export interface EndState {
  name: string;
  /** Lines typed without the flags of the world. */
  lines: readonly string[];
  before?: (bench: BatchBench) => void;
  /** Between the first line and the others. */
  then?: (bench: BatchBench) => void;
  /** References that must be paid at the end if every next command is typed; the others may be. */
  pays?: readonly string[];
}

const RUN = 'run ./p.csv --batch-id b --yes';

const heal = ({desk: {service}}: BatchBench): void => {
  service.refuse = () => undefined;
  service.approvalFails = () => false;
  service.fault = () => undefined;
};
const isOf = (body: Record<string, unknown>, amount: number) => body['amount_in_minor_units'] === amount;
const setStatus = (bench: BatchBench, reference: string, status: string) =>
  bench.recordsOf(reference).forEach((record) => Object.assign(record, {status, approvals: 0}));

export const END_STATES: readonly EndState[] = [
  {name: 'planned', lines: ['plan ./p.csv --batch-id b'], pays: ['A-1', 'A-2', 'A-3']},
  {name: 'complete', lines: [RUN]},
  {name: 'staged', lines: [`${RUN} --stage-only`], pays: ['A-1', 'A-2', 'A-3']},
  {
    name: 'with rejected rows',
    lines: [RUN],
    before: ({desk}) =>
      (desk.service.refuse = (body) => (isOf(body, 2000) ? {status: 422, error_code: 'X'} : undefined)),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'with held rows',
    lines: [RUN],
    before: ({desk}) =>
      (desk.service.distort = (record) => (isOf(record, 2000) ? {...record, currency_code: 'CAD'} : record)),
    pays: ['A-1', 'A-3'],
  },
  {
    name: 'with unapproved rows',
    lines: [RUN],
    before: ({desk}) => (desk.service.approvalFails = (body) => isOf(body, 2000)),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'with a reference of another batch',
    lines: ['run ./other.csv --batch-id other --yes', RUN],
    before: ({desk}) => desk.file('other.csv', [['A-2', 7, '70.00']]),
  },
  {
    name: 'in doubt',
    lines: [RUN],
    before: ({desk}) =>
      (desk.service.fault = ({method, body}) =>
        method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'staged, past the horizon',
    lines: [`${RUN} --stage-only`],
    then: (bench) => bench.advance(25 * 3600_000),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {name: 'canceled', lines: [`${RUN} --stage-only`, 'cancel b --yes']},
  {
    name: 'stopped',
    lines: [RUN],
    before: (bench) => bench.arm(statusFault(401), 4, 'from then on'),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'stopped before anything succeeded',
    lines: [RUN],
    before: (bench) => bench.arm(statusFault(404), 0, 'from then on'),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'with failed rows',
    lines: [RUN, 'status b --refresh'],
    then: (bench) => setStatus(bench, 'A-2', 'failed'),
    pays: ['A-1', 'A-3', 'A-2'],
  },
  {
    name: 'with a canceled record',
    lines: [RUN, 'status b --refresh'],
    then: (bench) => setStatus(bench, 'A-2', 'canceled'),
  },
  {
    name: 'with a release in doubt, and a canceled record',
    lines: [`${RUN} --stage-only`, 'release b --yes --max-wait 1s'],
    then: (bench) => {
      const [record] = bench.recordsOf('A-2');
      setStatus(bench, 'A-3', 'canceled');
      bench.desk.service.fault = ({method, path, body}) =>
        (method === 'POST' && body.includes('"auto_approve":true') && body.includes('"A-2"')) ||
        (method === 'GET' && path.includes(record!.id))
          ? 'lost-after'
          : undefined;
    },
    pays: ['A-1', 'A-2'],
  },
  {
    name: 'with a record that is gone',
    lines: [`${RUN} --stage-only`, 'release b --yes'],
    then: ({desk: {service}}) => {
      const record = [...service.byId.values()].find(({body}) => JSON.stringify(body).includes('"A-2"'))!;
      service.byId.delete(record.id);
      service.records.delete(record.key);
    },
  },
  {
    name: 'with swapped creates',
    lines: [RUN],
    before: ({desk: {service}}) => {
      const ids = ['a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002'];
      const swapped = new Set<number>();
      const newId = service.newId;
      let made = 0;
      service.newId = () => ids[made++ - 1] ?? newId();
      service.distort = (record, {body}) => {
        const at = ['"A-2"', '"A-3"'].findIndex((name) => body.includes(name));
        if (at < 0 || swapped.has(at)) return record;
        swapped.add(at);
        return {...record, id: ids[1 - at]!, client_metadata: {remit_reference: `A-${3 - at}`}};
      };
    },
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'direct, in doubt',
    lines: [`${RUN} --direct --accept key-trust --max-wait 1s`],
    before: ({desk: {service}}) =>
      (service.fault = ({method, body}) =>
        method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'with a cancel that was not answered',
    lines: [`${RUN} --stage-only`, 'cancel b --yes --max-wait 1s'],
    then: ({desk: {service}}) =>
      (service.fault = ({method, path}) =>
        method === 'POST' && path.endsWith('/cancel') ? 'lost-after' : undefined),
  },
  {
    name: 'with a cancel of rows that were paid',
    lines: [RUN, 'cancel b --yes'],
    before: (bench) => bench.arm(statusFault(401), 5, 'from then on'),
    then: (bench) => bench.arm(undefined),
  },
  {
    name: 'with an unreadable row',
    lines: [
      `${RUN} --stage-only --max-wait 1s`,
      'resume b --yes --max-wait 1s',
      'resume b --yes --max-wait 1s',
    ],
    before: ({desk: {service}}) =>
      (service.fault = ({method, body}) =>
        method === 'POST' && body.includes('"A-2"') ? 'not-json' : undefined),
    pays: ['A-1', 'A-2', 'A-3'],
  },
  {
    name: 'with a corrected row that a separate batch has paid',
    lines: [RUN, 'run ./fix.csv --batch-id fix --yes', 'status b'],
    before: ({desk}) => {
      desk.file('fix.csv', [['A-2', 7, '20.00']]);
      desk.service.refuse = (body) =>
        isOf(body, 2000) && body['payee_id'] === payeeId(2)
          ? {status: 404, error_code: 'NOT_FOUND'}
          : undefined;
    },
    pays: ['A-1', 'A-2', 'A-3'],
  },
];

/** Where the batch was run, and with which flags. */
export interface Place {
  name: string;
  run: string;
  read: string;
}
export const PLACES: readonly Place[] = [
  {name: 'default profile', run: '', read: ''},
  {name: 'profile', run: ' -p acme', read: ''},
  {name: 'namespace, results folder', run: ' --namespace dec --out ./o -p acme', read: ''},
  {name: 'live', run: ' --live --namespace dec -p real', read: ' -p real'},
  {name: 'state folder', run: ' --state-dir ./s --namespace dec -p acme', read: ' --state-dir ./s'},
];

/** Verbs whose last word is a file, which is in a namespace. */
const WITH_FILE = /^(run|plan) \.\//;

/** A batch in its end state, and what the commands printed that led there. */
export interface World {
  bench: BatchBench;
  printed: readonly {line: string; text: string}[];
}

export async function openWorld({lines, before, then}: EndState, place: Place): Promise<World> {
  const printed: {line: string; text: string}[] = [];
  const bench = await BatchBench.open();
  mkdirSync(join(bench.desk.folder, 'o'));
  await bench.desk.profile('acme');
  const real = ['profiles', 'add', 'real', '--base-url', BASE_URL, '--key-stdin'];
  await runCli(real, {env: {HOME: bench.desk.folder}, stdin: LIVE_KEY, cwd: bench.desk.folder});
  before?.(bench);
  for (const [at, line] of lines.entries()) {
    const flags = WITH_FILE.test(line) ? place.run : place.run.replace(/ --namespace \S+/, '');
    const isLocal = /^(plan|status)/.test(line);
    const typed = line + (isLocal ? flags.replace(/ --out \S+| --live/g, '') : flags);
    const {stdout, stderr} = await confirmed(bench, await bench.batch(typed));
    printed.splice(0, 1, {line: typed, text: `${stdout}\n${stderr}`}); // what the last one printed holds
    if (at === 0) then?.(bench);
  }
  bench.arm(undefined);
  heal(bench);
  bench.save();
  return {bench, printed};
}

/** With a live key, the figures have to be stated: the refusal prints the command that states them. */
async function confirmed(bench: BatchBench, ran: CliResult): Promise<CliResult> {
  const hint =
    /(?:to confirm|to move real money|to cancel live records): (remit .*--confirm-count \d+.*?)(?:"|$)/m.exec(
      ran.stderr,
    );
  return ran.exitCode === EXIT.GUARD && hint !== null ? bench.typeLine(hint[1]!) : ran;
}

/** Every screen of the batch, and what each verb says when it is typed without a confirmation. */
const screens = (read: string): string[] => [
  `status b${read}`,
  `status b --json${read}`,
  `status b --row A-2${read}`,
  `find A-2${read}`,
  `report b ./report.html --html${read}`,
  `plan ./p.csv --batch-id b --html ./plan.html${read}`,
  ...['run', 'resume', 'release', 'retry', 'cancel'].map((verb) => `${verb} b --json${read}`),
  `resolve b A-2 --not-paid --unseen --json${read}`,
];

const COMMAND = /remit (?:payouts|payins|profiles|doctor|whoami)\b(?:'[^']*'|[^`;()'"\n])*/g;
/** Words after a command in a sentence. */
const PROSE = /(?:,? (?:or|and|writes|shows|fetches|clears|sends|records|prints)\b.*|\. .*|[.,:]| as in)$/;

/** The commands in a text; `&&` joins two into one. */
export const commandsIn = (text: string): string[] =>
  [...text.replaceAll('\\"', '"').matchAll(COMMAND)]
    .map(([found]) => found.replace(PROSE, '').trim())
    .filter(
      (found) =>
        !/ --help$|\b(?:REFERENCE|ID|NAME|URL|BATCH|FILE\.csv)\b|FILE$/.test(found) ||
        / --from FILE/.test(found),
    );

const decoded = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

/** All commands that any screen of the world prints, each with the line that printed it. */
export async function printedIn({bench, printed}: World, {read}: Place): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const note = (line: string, text: string) => {
    for (const command of commandsIn(text)) if (!found.has(command)) found.set(command, line);
  };
  for (const {line, text} of printed) note(line, text);
  for (const line of screens(read)) {
    bench.restore();
    const {stdout, stderr} = await bench.batch(line);
    note(line, `${stdout}\n${stderr}`);
    for (const name of ['report.html', 'plan.html']) {
      const page = join(bench.desk.folder, name);
      if (existsSync(page))
        note(`${name} of ${line}`, decoded(readFileSync(page, 'utf8').replaceAll('<', '`')));
    }
  }
  return found;
}

const SENDS = / batch (?:run|release|resume|retry|cancel) /;

/** Types a printed command as an operator would, who confirms what is asked and fills in a file of verdicts. */
export async function typePrinted(bench: BatchBench, command: string, json = false): Promise<CliResult> {
  const filled = command.includes('--from FILE') ? withVerdicts(bench, command) : command;
  const last = filled.split(' && ').at(-1) ?? '';
  const more = [...(SENDS.test(last) ? ['--yes'] : []), ...(json ? ['--json'] : [])];
  return confirmed(bench, await bench.typeLine(filled, more));
}

/** The operator looks up each row in doubt, and writes what was found. */
function withVerdicts(bench: BatchBench, command: string): string {
  const results = ['.', 'o']
    .map((name) => join(bench.desk.folder, name))
    .flatMap((folder) =>
      readdirSync(folder).includes('b.results.csv') ? [join(folder, 'b.results.csv')] : [],
    );
  const doubtful = /"(A-\d)","in_doubt"/g;
  const text = results.map((path) => readFileSync(path, 'utf8')).join('');
  const lines = [...text.matchAll(doubtful)].map(([, reference]) => {
    const [record] = bench.recordsOf(reference!);
    return record === undefined || record.approvals === 0
      ? `${reference},not-paid,`
      : `${reference},paid,${record.id}`;
  });
  const file = join(bench.desk.folder, 'v.csv');
  writeFileSync(file, `reference,verdict,id\n${lines.join('\n')}\n`);
  return command.replace('FILE', file);
}

export async function summaryOf(bench: BatchBench, {read}: Place): Promise<Summary> {
  const ran = await bench.batch(`status b --json${read}`);
  assert.notEqual(ran.stdout, '', ran.stderr);
  return ran.json() as Summary;
}
