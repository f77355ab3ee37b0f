import type {Resolving} from '../../src/batch/repair/resolve.ts';
import type {Resolution} from '../../src/batch/repair/resolved-outcome.ts';
import {FORMER_GONE_CODE} from '../../src/batch/model/outcome.ts';
import {RemitError} from '../../src/errors.ts';
import {KEY_IN_USE_MS} from '../../src/batch/model/record-age.ts';
import {openBatch} from '../../src/batch/journal/open-batch.ts';
import {auditWindows} from './audit.ts';
import {booksOf} from './books.ts';
import {checkApproved, checkFinal, checkRefresh, checkReport, checkStates, isRetry} from './checks.ts';
import {type Counts, noCounts} from './counts.ts';
import {abandonDatabases, openDatabases} from './databases.ts';
import {
  type EngineReport,
  type EngineRun,
  planFile,
  readStanding,
  refreshStates,
  resolveByHand,
  runEngine,
  type Setting,
} from './engine.ts';
import {type Acceptances, Namespaces, neededBy, NOTHING} from './namespaces.ts';
import {canceledFirst, type Step, stepOf} from './next.ts';
import {LATEST_MS, SimNetwork} from './network.ts';
import {Oracle, type Violation} from './oracle.ts';
import type {SimIdentity, SimOs} from './os.ts';
import {Place} from './place.ts';
import {type Ending, type Fate, SimProcess} from './process.ts';
import {Dice} from './random.ts';
import {
  csvOf,
  DISTORTED_FROM,
  drawRow,
  isPaymentOf,
  isRefusedParty,
  isUnapprovedParty,
  partyNumber,
  type SimRow,
} from './rows.ts';
import type {Hazard, Schedule} from './schedule.ts';
import {type ServiceRecord, SimService} from './service.ts';
import {Timeline} from './timeline.ts';
import type {RunPath} from '../../src/batch/model/run-path.ts';

export interface WorldResult {
  seed: number;
  violation: Violation | undefined;
  counts: Counts;
  events: number;
  /** Simulated milliseconds. */
  elapsedMs: number;
}

const START = Date.parse('2026-03-02T15:00:00Z');
/** A run may wait for a quarter of an hour many times, and does something each second meanwhile. */
const MOST_EVENTS = 300_000;
const BATCH = 'b1';
/** The batch under another namespace. */
const NAMESAKE = 'n1';
const OTHER_NAMESPACE = 'other';
const API_KEY = 'test_5up3r53cr3t';

const SETTING: Omit<Setting, 'kind' | 'windowRows'> = {
  mode: 'test',
  namespace: 'default',
  baseUrl: 'https://api.test',
  apiKey: API_KEY,
};

/** One schedule from its first plan to the last look at the books. */
export class World {
  readonly #os: SimOs;
  readonly #schedule: Schedule;
  readonly #setting: Setting;
  readonly #log: (text: () => string) => void;
  readonly #dice: Dice;
  readonly #timeline = new Timeline(START, MOST_EVENTS);
  readonly #service: SimService;
  readonly #network: SimNetwork;
  readonly #oracle: Oracle;
  /** Of the other namespace, where the same references are other payments. */
  readonly #otherOracle: Oracle;
  readonly #namespaces: Namespaces;
  readonly #namesakeDice: Dice;
  readonly #places: Place[] = [];
  readonly #processes: SimProcess[] = [];
  #rows: SimRow[] = [];
  #pid = 100;
  #boots = 1;
  #references = 0;
  readonly #counts = noCounts();
  #isAged = false;
  #isEnding = false;
  /** In the end the operator also pays what looks like other payments. */
  #paysNamesake = false;
  /** What the last run on a place was refused for. */
  readonly #refusals = new Map<Place, Acceptances>();
  #backup:
    | {files: Map<string, Uint8Array>; plans: Map<string, readonly SimRow[]>; canceling: readonly string[]}
    | undefined;

  constructor(os: SimOs, schedule: Schedule, log: ((line: string) => void) | undefined) {
    this.#os = os;
    this.#schedule = schedule;
    this.#setting = {
      ...{...SETTING, kind: schedule.kind},
      windowRows: new Dice(schedule.seed, 'windows').pick([undefined, undefined, 1, 3]),
    };
    const timeline = this.#timeline;
    this.#log =
      log === undefined
        ? () => undefined
        : (text) => log(`${String(timeline.elapsed.toFixed(0)).padStart(9)}  ${text()}`);
    const {seed, horizonMs, memory} = schedule;
    this.#dice = new Dice(seed, 'operator');
    const counts = this.#counts;
    const service = new SimService({
      ...{timeline, dice: new Dice(seed, 'service'), rules: this.#serviceRules(), counts, log: this.#log},
    });
    this.#service = service;
    const facts = {...this.#setting, horizonMs, isMemoryLong: memory === 'long'};
    const isOther = (record: ServiceRecord) => this.#namespaceOf(record) === OTHER_NAMESPACE;
    const isShared = this.#has('namespaces');
    const ours = isShared ? booksOf(service, (record) => !isOther(record)) : service;
    this.#oracle = new Oracle({...facts, service: ours});
    this.#otherOracle = new Oracle({
      ...facts,
      namespace: OTHER_NAMESPACE,
      service: booksOf(service, isOther),
    });
    for (const oracle of [this.#oracle, this.#otherOracle]) oracle.now = () => timeline.now;
    const oracleFor = (record: ServiceRecord) =>
      isShared && isOther(record) ? this.#otherOracle : this.#oracle;
    service.onMade = (record) => oracleFor(record).made(record);
    service.onApproved = (record) => oracleFor(record).approved(record);
    this.#namespaces = new Namespaces(service.records, (record) =>
      oracleFor(record).isDeclaredUnpaid(record.reference),
    );
    this.#namesakeDice = new Dice(seed, 'namesake');
    const rules = {trouble: schedule.trouble};
    this.#network = new SimNetwork({
      timeline,
      dice: new Dice(seed, 'network'),
      service,
      rules,
      counts,
      log: this.#log,
    });
    os.reset();
    os.random = new Dice(seed, 'os').next;
  }

  #namespaceOf({madeBy}: ServiceRecord): string {
    return (this.#network.attempts[madeBy - 1]!.process as SimProcess).namespace; // only processes of the world send
  }

  #oracleOf(batchId: string): Oracle {
    return batchId === NAMESAKE ? this.#otherOracle : this.#oracle;
  }

  #settingOf(batchId: string): Setting {
    return batchId === NAMESAKE ? {...this.#setting, namespace: OTHER_NAMESPACE} : this.#setting;
  }

  get #violation(): Violation | undefined {
    return this.#oracle.violation ?? this.#otherOracle.violation;
  }

  #serviceRules(): SimService['rules'] {
    const {seed, horizonMs, memory, faults, turns, weathers} = this.#schedule;
    const dice = new Dice(seed, 'memory');
    const party = (body: Record<string, unknown>) => partyNumber(body['payee_id'] ?? body['payer_id']);
    // Short: but long enough that two keys in a row are not forgotten within one release.
    const longest = dice.between(0.2, 0.9) * horizonMs;
    const least = horizonMs + LATEST_MS * 2;
    const lives = dice.pick(['same', 'own']);
    // Without a Date the tool has only its own clock to compare with.
    const sendsDate = dice.chance(0.8);
    const clockAheadMs = sendsDate && dice.chance(0.5) ? dice.between(-2, 2) * 86_400_000 : 0;
    const life = memory === 'long' ? dice.between(least, least * 2) : Math.max(longest, 30 * 60_000);
    return {
      ...{faults, turns, weathers, longWaits: this.#has('long-waits')},
      ...{clockAheadMs, sendsDate},
      mixedReads: this.#has('mixed-reads') ? new Dice(seed, 'mixed').pick([0.2, 0.5, 0.9]) : 0,
      sharedRecords: this.#has('shared-records') ? 0.3 : 0,
      failures: this.#has('mixed-reads') ? 0.3 : 0.05,
      lostApprovals: this.#has('lost-approvals') ? new Dice(seed, 'lost').pick([0.2, 0.6]) : 0,
      ...this.#drawCompared(),
      keyLife: () => (lives === 'same' || memory === 'short' ? life : dice.between(least, least * 2)),
      refuses: (body) => {
        const n = party(body);
        if (!isRefusedParty(n)) return undefined;
        return [
          {status: 422, code: 'INVALID_PAYMENT_DETAILS'},
          {status: 404, code: 'PAYMENT_METHOD_NOT_FOUND'},
          {status: 400, code: 'VALIDATION_ERROR'},
        ][n % 3];
      },
      approvalFails: (body) => isUnapprovedParty(party(body)),
      distorts: (body) => (party(body) >= DISTORTED_FROM ? {rail: 'wire'} : {}),
    };
  }

  #drawCompared(): Pick<SimService['rules'], 'compares' | 'comparedCode'> {
    const dice = new Dice(this.#schedule.seed, 'compared');
    const compares = dice.pick(['content', 'everything', 'everything'] as const);
    const comparedCode = dice.pick(['IDEMPOTENCY_KEY_CONFLICT', 'IDEMPOTENCY_BODY_MISMATCH']);
    return {compares: this.#has('bodies-compared') ? compares : 'nothing', comparedCode};
  }

  async live(): Promise<WorldResult> {
    const {seed} = this.#schedule;
    const stuck = new Promise<void>((resolve) => {
      this.#timeline.onIdle = () => {
        this.#oracle.violate('stuck', 'nothing is planned any more, and the operator still waits');
        resolve();
      };
      this.#timeline.onEndless = () => {
        this.#oracle.violate('endless', `${MOST_EVENTS} events, ${this.#timeline.elapsed} ms, and no end`);
        resolve();
      };
    });
    const end = this.#live().catch((error: unknown) => {
      this.#oracle.violate('bug', `the simulation threw ${String((error as Error).stack ?? error)}`);
    });
    await Promise.race([end, stuck]);
    await this.#endAll();
    if (openDatabases() > 0) this.#oracle.violate('bug', 'databases were left open');
    return {
      seed,
      violation: this.#violation,
      counts: this.#counts,
      ...{events: this.#timeline.events, elapsedMs: this.#timeline.elapsed},
    };
  }

  /** Nothing of this world may reach into the next one. */
  async #endAll(): Promise<void> {
    this.#timeline.onIdle = () => undefined;
    this.#timeline.clear();
    for (const process of this.#processes) process.kill('with its world');
    for (const {disk} of this.#places) disk.kill();
    await this.#timeline.settle();
    this.#timeline.clear();
    for (const {root} of this.#places) abandonDatabases(root);
  }

  get #isOver(): boolean {
    return this.#violation !== undefined;
  }

  async #live(): Promise<void> {
    const {rows, steps} = this.#schedule;
    const place = this.#newPlace('a');
    this.#rows = Array.from({length: rows}, () => this.#newRow());
    await this.#plan(place, BATCH, this.#rows);
    for (let step = 0; step < steps && !this.#isOver; step++) {
      if (step > 0) await this.#interlude(place);
      if (!this.#isOver && !(this.#isPaid(place) && this.#isIdle(place, BATCH))) await this.#step(place);
    }
    if (!this.#isOver) await this.#end();
  }

  /** Every row is paid, and nothing in this world could make a further run do anything. */
  #isPaid(place: Place): boolean {
    const states = [...place.batches.get(BATCH)!.reported.values()];
    const mayStir = STIRRING.some((hazard) => this.#has(hazard));
    return !mayStir && states.every((state) => state === 'accepted' || state === 'already_paid');
  }

  /** Nothing is open in a batch: to run it once more shows seldom what the other times did not. */
  #isIdle(place: Place, batchId: string): boolean {
    return (place.batches.get(batchId)?.isComplete ?? false) && !this.#dice.chance(0.2);
  }

  #has(hazard: Hazard): boolean {
    return this.#schedule.hazards.has(hazard);
  }

  #newPlace(name: string): Place {
    const place = new Place(name, this.#has('power'));
    place.disk.now = () => this.#timeline.now;
    this.#os.mount(name, place.disk);
    this.#places.push(place);
    return place;
  }

  #newRow(): SimRow {
    const row = drawRow(this.#dice, `INV-${++this.#references}`);
    return this.#has('odd-rows') ? row : {...row, party: row.party.replace(/\d\d\d$/, '001')};
  }

  #newProcess(place: Place, batchId: string, fate: Fate, host = `host-${place.name}`): SimProcess {
    const oracle = this.#oracleOf(batchId);
    const {slowness} = this.#schedule;
    const late = this.#has('slow-timers')
      ? (ms: number) => (ms < 1001 ? ms * slowness : ms)
      : (ms: number) => ms;
    const identity: SimIdentity = {
      ...{host, boot: `boot-${this.#boots}`, pid: ++this.#pid},
      startTime: String(this.#timeline.events),
    };
    const process = new SimProcess({
      ...{
        os: this.#os,
        timeline: this.#timeline,
        oracle,
        place,
        namespace: this.#settingOf(batchId).namespace,
        identity,
        fate,
        late,
        counts: this.#counts,
        log: this.#log,
      },
    });
    this.#processes.push(process);
    process.audit = (attempt) => {
      const complaint = this.#schedule.isAudited
        ? auditWindows(this.#os, place, process.batchId, this.#schedule.kind, attempt)
        : undefined;
      if (complaint !== undefined) oracle.violate('window-first', complaint);
      const unasked = this.#has('namespaces') ? this.#namespaces.sent(attempt, process) : undefined;
      if (unasked !== undefined) oracle.violate('elsewhere', unasked);
    };
    return process;
  }

  /** Plans a file, again and again while it is killed at it. False when the tool refuses the file. */
  async #plan(place: Place, batchId: string, rows: readonly SimRow[]): Promise<boolean> {
    const file = `${place.inbox}/${batchId}.csv`;
    place.disk.put(file, csvOf(rows, this.#schedule.kind === 'payout' ? 'payee_id' : 'payer_id'));
    for (let attempt = 0; !this.#isOver; attempt++) {
      this.#counts.plans++;
      const process = this.#newProcess(place, batchId, attempt < 2 ? this.#drawFate(true) : {});
      const setting = this.#settingOf(batchId);
      const ending = await process.run((self) => planFile(self, setting, {batchId, file}));
      this.#tell('plan', process, ending);
      if (ending.is === 'done') {
        place.plan(batchId, rows, this.#schedule.isDirect);
        return true;
      }
      if (ending.is === 'killed') await this.#afterKill(place);
      else if (codeOf(ending.error) === 'CSV_INVALID') return false;
      else await this.#afterError(ending.error, attempt);
    }
    return false;
  }

  #tell(what: string, process: SimProcess, ending: Ending<unknown>): void {
    const value =
      ending.is === 'done' ? (ending.value as Partial<EngineReport> | undefined)?.summary : undefined;
    this.#log(
      () =>
        `process ${process.identity.pid}: ${what} ${ending.is}${ending.is === 'failed' ? `: ${String(ending.error)}` : ''}${value === undefined ? '' : ` ${JSON.stringify(value)}`}`,
    );
  }

  #drawFate(isPlanning = false): Fate {
    const dice = this.#dice;
    const fate: Fate = {};
    if (this.#has('kills') && dice.chance(isPlanning ? 0.1 : 0.6)) {
      const how = isPlanning ? 'disk' : dice.pick(['disk', 'disk', 'send', 'answer', 'time'] as const);
      const when = dice.pick(['before', 'torn', 'after'] as const);
      if (how === 'disk') fate.disk = {call: this.#drawCall(), fault: {is: 'kill', when}};
      if (how === 'send')
        fate.atSend = {request: 1 + dice.below(this.#rows.length * 3), when: dice.pick(['before', 'after'])};
      if (how === 'answer') fate.atAnswer = 1 + dice.below(this.#rows.length * 3);
      if (how === 'time') fate.afterMs = dice.between(0, 1500);
    }
    if (this.#has('disk') && fate.disk === undefined && dice.chance(isPlanning ? 0.1 : 0.4))
      fate.disk = {call: this.#drawCall(), fault: {is: 'error', code: dice.pick(['EIO', 'ENOSPC'])}};
    if (this.#has('signals') && !isPlanning && dice.chance(0.5)) {
      fate.drainMs = dice.between(0, 1500);
      if (dice.chance(0.5)) fate.abortMs = fate.drainMs + dice.between(0, 300);
    }
    return fate;
  }

  #drawCall(): number {
    return 1 + Math.floor(Math.exp(this.#dice.between(0, Math.log(400))));
  }

  /** What an operator does between two runs. */
  async #interlude(place: Place): Promise<void> {
    const dice = this.#dice;
    if (this.#has('waiting') && dice.chance(0.6)) {
      const {horizonMs} = this.#schedule;
      const ms = dice.pick([1_000, 60_000, 400_000, horizonMs * 0.6, horizonMs + 60_000, horizonMs * 2]);
      this.#log(() => `operator: waits ${ms} ms`);
      await this.#timeline.wait(ms);
      this.#counts.waits++;
    }
    if (this.#has('lost-approvals')) {
      await this.#timeline.wait(
        new Dice(this.#schedule.seed, `lost ${this.#counts.runs}`).pick([5_000, 100_000]),
      );
      await this.#refresh(place, BATCH, this.#drawFate());
    }
    if (this.#has('refresh')) await this.#refresh(place, BATCH, this.#drawFate());
    if (this.#has('namespaces')) await this.#runNamesake(place);
    if (this.#has('backup')) await this.#backUp(place);
    if (this.#has('loss') && dice.chance(0.5)) this.#lose(place);
    if (this.#has('by-hand') && dice.chance(0.5)) this.#byHand();
    if (this.#has('resolve') && dice.chance(0.7)) await this.#resolve(place);
    if (this.#has('edits') && dice.chance(0.6)) await this.#edit(place);
  }

  /** The operator asks what has become of the payments. Returns what is said of each row, if it is said. */
  async #refresh(place: Place, batchId: string, fate: Fate): Promise<EngineReport['states'] | undefined> {
    // What a restored backup holds was not reported.
    const isNew = place.batches.get(batchId)!.reported.size === 0 && !this.#isEnding;
    if (this.#isOver || isNew) return undefined;
    this.#counts.refreshes++;
    const process = this.#newProcess(place, batchId, fate);
    process.batchId = batchId;
    const random = new Dice(this.#schedule.seed, `refresh ${this.#counts.refreshes}`).next;
    const ending = await process.run((self) =>
      refreshStates(self, this.#settingOf(batchId), this.#network, batchId, random),
    );
    this.#tell('refresh', process, ending);
    if (ending.is === 'done') {
      checkRefresh({place, batchId, report: ending.value, process, oracle: this.#oracleOf(batchId)});
      return ending.value.states;
    }
    if (ending.is === 'killed') await this.#afterKill(place);
    else if (codeOf(ending.error) !== 'NO_BATCH') await this.#afterError(ending.error, 0, fate);
    return undefined;
  }

  async #backUp(place: Place): Promise<void> {
    const {disk, stateDir} = place;
    if (this.#backup === undefined) {
      this.#backup = {
        files: disk.copyOf(stateDir),
        plans: place.plans(),
        canceling: [...place.canceling],
      };
      this.#log(() => 'operator: makes a backup of the state folder');
    } else if (this.#dice.chance(0.5)) {
      disk.restore(stateDir, this.#backup.files);
      this.#counts.restores++;
      this.#log(() => 'operator: puts the backup back');
      this.#lost(place, 'both');
      for (const batchId of this.#backup.canceling) place.canceling.add(batchId);
      place.restorePlans(this.#backup.plans);
      const former = [...this.#backup.plans.get(BATCH)!];
      if (!(await this.#plan(place, BATCH, this.#rows))) this.#rows = former;
    }
  }

  #lose(place: Place): void {
    const what = this.#dice.pick(['journal', 'registry', 'both'] as const);
    this.#log(() => `operator: deletes ${what}`);
    this.#counts.losses++;
    const root = `${place.stateDir}/batches`;
    if (what === 'both') place.disk.remove(place.stateDir);
    if (what === 'journal') place.disk.remove(`${root}/${this.#schedule.kind}`);
    if (what === 'registry') this.#loseRegistry(place, `${root}/registry.db`);
    this.#lost(place, what);
  }

  /** It is deleted, emptied, or put back from the backup. */
  #loseRegistry(place: Place, path: string): void {
    const how = this.#dice.pick(['deleted', 'emptied', 'older'] as const);
    for (const suffix of ['', '-wal']) {
      place.disk.remove(`${path}${suffix}`);
      const older = this.#backup?.files.get(`${path}${suffix}`);
      if (how === 'older' && older !== undefined) place.disk.put(`${path}${suffix}`, older);
    }
    if (how === 'emptied') place.disk.put(path, '');
  }

  #lost(place: Place, what: 'journal' | 'registry' | 'both'): void {
    const sent = this.#network.attempts.length;
    if (what === 'both') place.registryLost(sent);
    if (what === 'registry') {
      place.registryAlone();
      return;
    }
    place.journalLost(sent);
    for (const [batchId, batch] of place.batches) {
      batch.reported.clear();
      batch.isComplete = false;
      for (const name of ['results.csv', 'failed.csv', 'summary.json'])
        place.disk.remove(`${place.inbox}/${batchId}.${name}`);
    }
  }

  #byHand(): void {
    const {records} = this.#service;
    if (records.length === 0) return;
    const record = this.#dice.pick(records);
    const what = this.#dice.pick(['approve', 'cancel'] as const);
    this.#counts.byHand++;
    this.#log(() => `somebody: ${what}s record ${record.n} by hand`);
    this.#service.byHand(record, what);
  }

  /** The operator looks a row in doubt up in the dashboard and says what came of it; now and then that is wrong. */
  async #resolve(place: Place): Promise<void> {
    const doubts = [...place.batches.get(BATCH)!.reported].filter(([, state]) => state === 'in_doubt');
    if (doubts.length === 0) return;
    const chosen = this.#dice.chance(0.5) ? doubts : [this.#dice.pick(doubts)];
    const rows = chosen.map(([reference]) => ({reference, resolution: this.#findOut(place, reference)}));
    await this.#resolveRows(place, BATCH, rows, this.#drawFate(true));
  }

  async #resolveRows(
    place: Place,
    batchId: string,
    rows: readonly Resolving[],
    fate: Fate,
  ): Promise<boolean> {
    this.#log(() => `operator: resolves ${JSON.stringify(rows)}`);
    this.#counts.resolved++;
    const oracle = this.#oracleOf(batchId);
    for (const {reference, resolution} of rows)
      if (resolution === 'not-paid') oracle.declareUnpaid(reference);
      else oracle.declarePaid(reference, resolution.paid);
    const process = this.#newProcess(place, batchId, fate);
    const setting = this.#settingOf(batchId);
    const ending = await process.run((self) => resolveByHand(self, setting, {batchId, rows}));
    this.#tell('resolve', process, ending);
    if (ending.is === 'killed') await this.#afterKill(place);
    // The row is in doubt no more, or the power took it.
    const expected = ['USAGE', 'NO_BATCH', ...(this.#namesShared(rows) ? ['LOCAL_VALIDATION'] : [])];
    if (ending.is === 'failed' && !expected.includes(codeOf(ending.error) ?? ''))
      await this.#afterError(ending.error, 0);
    return ending.is === 'done';
  }

  /** A record that the service gave as the answer for two rows is recorded for one of them only. */
  #namesShared(rows: readonly Resolving[]): boolean {
    return rows.some(({resolution}) => {
      if (resolution === 'not-paid') return false;
      return this.#service.records.some(({id, sharedBy}) => id === resolution.paid && sharedBy.size > 0);
    });
  }

  /** The command looks at the record that is named, and refuses one that is not the row's. */
  #findOut(place: Place, reference: string): Resolution {
    const truth = this.#truthOf(place, BATCH, reference);
    return truth === 'not-paid' || this.#dice.chance(0.2) ? 'not-paid' : truth;
  }

  #truthOf(place: Place, batchId: string, reference: string): Resolution {
    const row = place.planned(batchId, reference)!;
    const paid = this.#service.records.findLast(
      (record) =>
        record.reference === reference &&
        this.#namespaceOf(record) === this.#setting.namespace &&
        isPaymentOf(row, record.body, this.#schedule.kind) &&
        PAID.has(this.#service.statusOf(record)),
    );
    return paid === undefined ? 'not-paid' : {paid: paid.id};
  }

  /** The rows are run again as another batch: under another namespace, some of them with references of their own. */
  async #runNamesake(place: Place): Promise<void> {
    const dice = this.#namesakeDice;
    if (this.#isOver || place !== this.#places[0]) return;
    if (!place.batches.has(NAMESAKE)) {
      const rows = this.#rows.map((row) =>
        dice.chance(0.3) ? {...row, reference: `OTHER-${row.reference}`} : row,
      );
      if (!(await this.#plan(place, NAMESAKE, rows))) return;
    }
    if (!this.#isOver) await this.#run(place, NAMESAKE, this.#drawFate());
  }

  /** The file is changed and planned again, under its own name or another. */
  async #edit(place: Place): Promise<void> {
    const dice = this.#dice;
    const rows = [...this.#rows];
    const at = dice.below(rows.length);
    const row = rows[at]!;
    switch (dice.pick(['amount', 'party', 'drop', 'add', 'add', 'sort', 'rename'] as const)) {
      case 'amount':
        rows[at] = {...row, amount: row.amount + 1};
        break;
      case 'party':
        rows[at] = {...row, party: drawRow(dice, '').party};
        break;
      case 'drop':
        if (rows.length > 1) rows.splice(at, 1);
        break;
      case 'add':
        rows.splice(at, 0, this.#newRow());
        break;
      case 'sort':
        dice.shuffle(rows);
        break;
      case 'rename':
        rows[at] = {...row, reference: `INV-${++this.#references}`};
    }
    const batchId = dice.chance(0.75) ? BATCH : dice.pick(['b2', 'b3']);
    this.#counts.edits++;
    this.#log(() => `operator: edits the file: ${JSON.stringify(rows)} as ${batchId}`);
    const former = place.batches.get(batchId)?.rows;
    if (await this.#plan(place, batchId, rows)) {
      if (batchId === BATCH) this.#rows = rows;
      else if (dice.chance(0.7)) await this.#run(place, batchId, this.#drawFate());
    } else if (former !== undefined && !this.#isOver) await this.#plan(place, batchId, former);
  }

  async #step(place: Place): Promise<void> {
    const dice = this.#dice;
    if (this.#has('twin') && dice.chance(0.6)) {
      await this.#withTwin(place);
      return;
    }
    const wasRun = (place.batches.get(BATCH)?.reported.size ?? 0) > 0;
    if (this.#has('cancel') && wasRun && dice.chance(0.4)) await this.#cancel(place, BATCH, this.#drawFate());
    else await this.#run(place, BATCH, this.#drawFate());
  }

  /** `payouts batch cancel NAME`. */
  async #cancel(place: Place, batchId: string, fate: Fate): Promise<EngineReport | undefined> {
    this.#counts.cancels++;
    return this.#runAs(place, {...this.#drawRun(place, batchId), path: 'cancel', retry: undefined}, fate);
  }

  /** Another person has a copy of the file and a state folder of their own, and starts at about the same time. */
  async #withTwin(place: Place): Promise<void> {
    let twin = this.#places[1];
    if (twin === undefined) {
      twin = this.#newPlace('b');
      await this.#plan(twin, BATCH, this.#dice.shuffle([...this.#rows]));
      if (this.#isOver) return;
    }
    this.#counts.twins++;
    let opened: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    const first = this.#run(place, BATCH, this.#drawFate(), opened).finally(opened);
    await isOpen;
    await Promise.all([first, this.#run(twin, BATCH, this.#drawFate())]);
  }

  #drawRun(place: Place, batchId: string): EngineRun {
    const dice = this.#dice;
    const {isDirect, horizonMs, maxInFlight} = this.#schedule;
    const wasRun = (place.batches.get(batchId)?.reported.size ?? 0) > 0;
    const first: RunPath = isDirect
      ? 'direct'
      : this.#has('stage-only') || (this.#has('cancel') && dice.chance(0.6))
        ? dice.pick(['stage-only', 'stage-and-release'])
        : 'stage-and-release';
    const path = wasRun
      ? isDirect
        ? 'as-before'
        : dice.pick(['as-before', 'release', first] as const)
      : first;
    const references = place.batches.get(batchId)!.rows.map(({reference}) => reference);
    const named = (dice.chance(0.5) ? references : []).filter((reference) =>
      this.#mayName(place, batchId, reference),
    );
    return {
      ...{batchId, path, maxInFlight},
      settings: {
        ...{
          horizonMs,
          maxWaitMs: this.#has('long-waits') ? 900_000 : dice.pick([8_000, 8_000, undefined]),
          trustRefusals: dice.chance(0.2),
          retryUnapproved: path === 'release',
          approveById: this.#has('approve-by-id'),
        },
        acceptDifferences: dice.chance(0.3),
        releaseRest: dice.chance(0.4),
      },
      ...((this.#has('retry') || this.#has('lost-approvals')) && wasRun && dice.chance(0.5)
        ? {retry: {named, onRaised: () => undefined}}
        : {}),
    };
  }

  /** Before a new key the operator looks for the record: a service that compares bodies refuses keys whose records live. */
  #mayName(place: Place, batchId: string, reference: string): boolean {
    if (this.#service.rules.compares === 'nothing') return true;
    const isDead = place.batches.get(batchId)!.reported.get(reference) === 'dead_key';
    return !isDead || this.#oracleOf(batchId).mayHaveBeenRaised(reference);
  }

  async #run(place: Place, batchId: string, fate: Fate, onOpened?: () => void): Promise<void> {
    await this.#runAs(place, this.#drawRun(place, batchId), fate, onOpened);
  }

  /** One run; where it is refused because of another namespace, the operator may acknowledge that and start it again. */
  async #runAs(
    place: Place,
    request: EngineRun,
    fate: Fate,
    onOpened?: () => void,
  ): Promise<EngineReport | undefined> {
    if (!this.#has('namespaces')) return this.#runOnce(place, request, fate, onOpened);
    // A retry leaves rows that were used elsewhere; its hint names the place.
    const others = [SETTING.namespace, OTHER_NAMESPACE].filter(
      (name) => name !== this.#settingOf(request.batchId).namespace,
    );
    const isHinted = request.retry !== undefined && this.#isEnding;
    let accepts: Acceptances | undefined = isHinted ? {...NOTHING, elsewhere: others} : NOTHING;
    while (accepts !== undefined && !this.#isOver) {
      this.#refusals.delete(place);
      const report = await this.#runOnce(place, {...request, accepts}, fate, onOpened);
      const needed = this.#refusals.get(place);
      if (needed === undefined) return report;
      const stated: Acceptances['elsewhere'] = accepts.elsewhere;
      accepts = this.#acknowledge(request.batchId, needed);
      if (isHinted && accepts !== undefined) accepts = {...accepts, elsewhere: stated};
    }
    return undefined;
  }

  /** What the operator states after a refusal: all that it asks for, a part, or nothing, which leaves the batch. */
  #acknowledge(batchId: string, needed: Acceptances): Acceptances | undefined {
    this.#counts.namesakesRefused++;
    const isLeft = batchId === NAMESAKE && !this.#paysNamesake;
    const how = this.#isEnding
      ? isLeft
        ? 'nothing'
        : 'all'
      : this.#namesakeDice.draw({all: 2, nothing: 2, elsewhere: 1, duplicates: 1});
    this.#log(() => `operator: acknowledges ${how} of ${JSON.stringify(needed)} for ${batchId}`);
    if (how === 'nothing') return undefined;
    if (how === 'all') this.#counts.namesakesPaid++;
    const {elsewhere, duplicates} = needed;
    return {
      elsewhere: how === 'duplicates' ? [] : elsewhere,
      duplicates: how === 'elsewhere' ? undefined : duplicates,
    };
  }

  /** One run of the tool with what befalls it, and a look at what it says. */
  async #runOnce(
    place: Place,
    request: EngineRun,
    fate: Fate,
    onOpened?: () => void,
  ): Promise<EngineReport | undefined> {
    const {batchId} = request;
    const oracle = this.#oracleOf(batchId);
    const mayBeCanceled = place.cancelTried.has(batchId) && request.path !== 'cancel';
    if (
      !place.disk.paths().includes(`${place.stateDir}/batches/${this.#schedule.kind}/${batchId}/journal.db`)
    ) {
      const batch = place.batches.get(batchId)!;
      if (!(await this.#plan(place, batchId, batch.rows))) return undefined;
    }
    this.#counts.runs++;
    const process = this.#newProcess(place, batchId, fate);
    process.batchId = batchId;
    process.onOpened = onOpened ?? (() => undefined);
    if (request.retry !== undefined) {
      this.#counts.retries++;
      const rows = batchId === NAMESAKE ? place.batches.get(batchId)!.rows : this.#rows;
      const references = rows.map(({reference}) => reference);
      oracle.mayRaise(references, request.retry.named);
    }
    if (this.#has('contender') && this.#dice.chance(0.7)) this.#contend(process);
    this.#log(
      () => `operator: ${request.path} ${batchId} on ${place.name} ${JSON.stringify({request, fate})}`,
    );
    const random = new Dice(this.#schedule.seed, `run ${this.#counts.runs}`).next;
    const ending = await process.run((self) =>
      runEngine(self, this.#settingOf(batchId), this.#network, request, random),
    );
    this.#tell(request.path, process, ending);
    if (ending.is === 'done') {
      checkReport({place, batchId, report: ending.value, process, oracle, fate, request});
      return ending.value;
    }
    if (ending.is === 'failed' && request.accepts !== undefined) {
      const needed = neededBy(ending.error);
      if (needed !== undefined) {
        this.#refusals.set(place, needed);
        const {namespace} = this.#settingOf(batchId);
        const hasOthers = [...place.confirmed.keys()].some(
          (other) => this.#settingOf(other).namespace !== namespace,
        );
        if (!hasOthers && needed.elsewhere.length > 0)
          oracle.violate('elsewhere', `${batchId} was refused, and no other namespace was ever run`);
        return undefined;
      }
    }
    if (ending.is === 'failed' && mayBeCanceled && codeOf(ending.error) === 'BATCH_CANCELED') {
      place.canceling.add(batchId); // the intent was on the disk when its run was killed
      return undefined;
    }
    if (isRetry(request)) place.batches.get(batchId)!.isComplete = false; // what it had begun may go on
    if (ending.is === 'killed') {
      await this.#afterKill(place);
      if (this.#dice.chance(0.5)) await this.#report(place, batchId);
    } else await this.#afterError(ending.error, 0, fate);
    return undefined;
  }

  /** Somebody starts the tool on the same state folder while it runs, here or on another machine. */
  #contend(holder: SimProcess): void {
    const {place, batchId} = holder;
    const host = this.#dice.chance(0.5) ? `host-${place.name}` : 'host-z';
    const process = this.#newProcess(place, batchId, {}, host);
    const work = async (): Promise<void> => {
      if (!holder.isRunning) return;
      this.#counts.contenders++;
      const {diskErrors} = this.#counts;
      this.#os.begin(process.identity);
      const attempt = openBatch({
        ...{stateDir: place.stateDir, kind: this.#schedule.kind, batchId},
        ...{purpose: 'a second runner', clock: process.clock},
      });
      this.#os.identity = holder.identity;
      try {
        const batch = await attempt;
        if (holder.isRunning) this.#oracle.violate('one-runner', `${batchId} was opened while it runs`);
        await batch.close();
      } catch (error) {
        const hasMetFault = codeOf(error) === 'STATE' && this.#counts.diskErrors > diskErrors; // one disk for both
        if (!holder.ended && codeOf(error) !== 'LOCKED' && !hasMetFault)
          this.#oracle.violate('one-runner', `a second runner was met with ${String(error)}`);
      } finally {
        this.#os.end(process.identity);
      }
    };
    this.#timeline.after(this.#dice.between(0, 500), () => void work(), holder);
  }

  async #afterKill(place: Place): Promise<void> {
    this.#counts.kills++;
    if (!this.#has('power') || !this.#dice.chance(0.5)) return;
    this.#log(() => `power: lost on ${place.name}`);
    place.disk.losePower(new Dice(this.#schedule.seed, `power ${this.#counts.kills}`).next);
    this.#boots++;
    this.#counts.powerCuts++;
  }

  /** Locked after a crash: wait. Whatever the tool says must be one of its own errors, and one that has a reason. */
  async #afterError(error: unknown, attempt: number, fate: Fate = {}): Promise<void> {
    const code = codeOf(error);
    if (code === 'LOCKED' && attempt < 3) {
      await this.#timeline.wait(40_000);
      return;
    }
    const isFault = fate.disk?.fault.is === 'error' || this.#has('disk');
    if (code === 'STATE' && isFault) return;
    if (code === 'UNAVAILABLE' || code === 'INTERRUPTED' || code === 'TERMINATED') return;
    this.#oracle.violate('error', `the tool ended with ${String((error as Error).stack ?? error)}`);
  }

  /** The operator asks for the status, as after a crash. */
  async #report(
    place: Place,
    batchId: string,
  ): Promise<Pick<EngineReport, 'summary' | 'states'> | undefined> {
    for (let attempt = 0; attempt < 3 && !this.#isOver; attempt++) {
      const process = this.#newProcess(place, batchId, {});
      const ending = await process.run((self) => readStanding(self, this.#settingOf(batchId), batchId));
      this.#tell('report', process, ending);
      if (ending.is === 'done') {
        checkStates({place, batchId, report: ending.value, oracle: this.#oracleOf(batchId)});
        return ending.value;
      }
      if (ending.is === 'failed') {
        if (codeOf(ending.error) === 'NO_BATCH') return undefined; // the power took a plan that was never run
        await this.#afterError(ending.error, attempt);
      }
    }
    return undefined;
  }

  /** Everything is set right, and the operator brings every batch to its end. */
  async #end(): Promise<void> {
    this.#log(() => 'operator: everything works again');
    this.#service.calm();
    this.#isEnding = true;
    this.#paysNamesake = this.#namesakeDice.chance(0.5);
    const follows = new Dice(this.#schedule.seed, 'follows');
    this.#network.rules = {trouble: 0};
    await this.#timeline.wait(LATEST_MS + 40_000);
    for (const place of this.#places) {
      for (const batchId of place.batches.keys()) {
        if (this.#isOver) return;
        const isStirred = this.#has('lost-approvals');
        if (isStirred) await this.#refresh(place, batchId, {});
        if (follows.chance(0.5)) await this.#followNext(place, batchId);
        if (this.#refusals.has(place)) continue; // the operator leaves it
        if (!this.#isOver && (!this.#isIdle(place, batchId) || isStirred)) await this.#finish(place, batchId);
      }
    }
  }

  /**
   * The operator types what each summary says comes next, until nothing does, or a person has to decide. Each of these
   * commands moves the batch on; only after a retry it may be where it was before.
   */
  async #followNext(place: Place, batchId: string): Promise<void> {
    const seen = new Map<string, number>();
    let retriedAt = -1;
    let hasWaited = false;
    let approveById = this.#has('approve-by-id');
    while (!this.#isOver) {
      const standing = await this.#report(place, batchId);
      const next = standing?.summary.next ?? null;
      if (standing === undefined || next === null) return;
      const step = stepOf(next);
      const key = JSON.stringify({...standing, approveById});
      const before = seen.get(key);
      if (before !== undefined && !hasWaited) {
        await this.#timeline.wait(KEY_IN_USE_MS + 60_000); // a key that is in use may be free then
        hasWaited = true;
        seen.clear();
        continue;
      }
      if (before !== undefined) {
        // Where the profile is right and all is refused, a person has to say that the refusals are final.
        const isTest = next.startsWith('remit profiles test');
        if (retriedAt < before && !isTest)
          this.#oracleOf(batchId).violate('next', `${next} changes nothing: ${key}`);
        return;
      }
      seen.set(key, seen.size);
      if (step.is === 'run' && step.verb === 'retry') retriedAt = seen.size - 1;
      this.#counts.nextTyped++;
      this.#log(() => `operator: types ${next}`);
      approveById ||= next.includes('--approve-by-id');
      this.#cancelFirst(next);
      if (!(await this.#type(place, batchId, {step, standing, approveById}))) return;
    }
  }

  /** The record for which a row waits. */
  #cancelFirst(next: string): void {
    const id = canceledFirst(next);
    const record = this.#service.records.find((one) => one.id === id);
    if (record === undefined) return;
    this.#counts.byHand++;
    this.#log(() => `operator: cancels record ${record.n}`);
    this.#service.byHand(record, 'cancel');
  }

  /** @returns whether it was done: not if a person decides, and not if it was refused. */
  async #type(
    place: Place,
    batchId: string,
    {step, standing, approveById}: {step: Step; standing: Pick<EngineReport, 'states'>; approveById: boolean},
  ): Promise<boolean> {
    if (step.is === 'look') return false;
    if (step.is === 'cancel') return (await this.#cancel(place, batchId, {})) !== undefined;
    if (step.is === 'resolve') return this.#resolveAll(place, batchId, standing.states);
    const {verb, rows, accepts} = step;
    if (!rows.every((reference) => this.#mayName(place, batchId, reference))) return false;
    const {horizonMs, maxInFlight} = this.#schedule;
    const report = await this.#runAs(
      place,
      {
        ...{batchId, maxInFlight},
        path: verb === 'release' ? 'release' : verb === 'run' ? 'stage-and-release' : 'as-before',
        settings: {
          ...{
            horizonMs,
            maxWaitMs: this.#has('long-waits') ? 900_000 : 8_000,
            trustRefusals: accepts.includes('refusals'),
            approveById,
          },
          retryUnapproved: verb === 'release',
          acceptDifferences: accepts.includes('differences'),
          releaseRest: accepts.includes('rest'),
        },
        ...(verb === 'retry' ? {retry: {named: rows, onRaised: () => undefined}} : {}),
      },
      {},
    );
    return report !== undefined;
  }

  /** The operator looks up all rows in doubt, or with an earlier record that is gone, and records what is true of them. */
  async #resolveAll(place: Place, batchId: string, states: EngineReport['states']): Promise<boolean> {
    if (batchId === NAMESAKE) return false;
    const doubts = states.filter(({state, code}) => state === 'in_doubt' || code === FORMER_GONE_CODE);
    const rows = doubts.map(({reference}) => ({
      reference,
      resolution: this.#truthOf(place, batchId, reference),
    }));
    // A person has to find out whose record it is, or to settle at the service a record that only direct mode's body shows.
    const oracle = this.#oracleOf(batchId);
    const shared = new Set(oracle.sharedRecords().flatMap(({references}) => references));
    if (rows.some(({reference}) => shared.has(reference) || oracle.isOtherBody(reference))) return false;
    return this.#resolveRows(place, batchId, rows, {});
  }

  async #finish(place: Place, batchId: string): Promise<void> {
    const {horizonMs, memory} = this.#schedule;
    this.#isAged ||= this.#timeline.elapsed > horizonMs * 0.9;
    let last: EngineReport | undefined;
    for (let attempt = 0; attempt < 4 && !this.#isOver; attempt++) {
      if (place.canceling.has(batchId)) {
        await this.#finishCancel(place, batchId);
        return;
      }
      const leftForStaging = last !== undefined && last.summary.not_sent > 0 && isNextToStage(last); // as `next` says
      const goesOn = attempt === 0 || (this.#schedule.isDirect && !leftForStaging);
      // A row whose every replay is refused would stop each run before the others are released.
      const isHeldUp = last?.summary.stopped_because?.reason === 'failing' && last.summary.staged > 0;
      const path = isHeldUp ? 'release' : goesOn ? 'as-before' : 'stage-and-release';
      this.#cancelFirst(last?.summary.next ?? '');
      last = await this.#runAs(
        place,
        {
          ...{batchId, path, maxInFlight: this.#schedule.maxInFlight},
          settings: {
            ...{
              horizonMs,
              maxWaitMs: this.#has('long-waits') ? 900_000 : 8_000,
              trustRefusals: true,
              retryUnapproved: false,
              // As `next` says.
              approveById: this.#has('approve-by-id') || this.#service.rules.compares === 'everything',
            },
            ...{acceptDifferences: true, releaseRest: true},
          },
          ...(this.#has('lost-approvals') && attempt === 0
            ? {retry: {named: [], onRaised: () => undefined}}
            : {}),
        },
        {},
      );
      if (this.#refusals.has(place)) return; // the operator leaves it
      if (last?.summary.state !== 'complete' && last?.summary.state !== 'incomplete') continue;
      // Once more, now and then: a batch that is complete sends nothing.
      if (last.summary.posts === 0 && last.summary.not_sent > 0 && path === 'as-before') continue;
      if (last.summary.posts === 0 || (isEnded(last) && !this.#dice.chance(0.2))) break;
    }
    if (this.#isOver) return;
    const oracle = this.#oracleOf(batchId);
    const mustEnd = memory === 'long' && !this.#isAged;
    // A run may have taken payments over from the registry, whose records were not read before.
    if (last !== undefined && this.#has('lost-approvals') && !this.#has('mixed-reads'))
      checkApproved((await this.#refresh(place, batchId, {})) ?? [], oracle);
    checkFinal({last, place, batchId, oracle, mustEnd});
  }

  async #finishCancel(place: Place, batchId: string): Promise<void> {
    for (let attempt = 0; attempt < 4 && !this.#isOver; attempt++)
      if ((await this.#cancel(place, batchId, {}))?.summary.state === 'canceled') return;
  }
}

/** Hazards that may leave something to do although every row was paid. */
const STIRRING: readonly Hazard[] = [
  ...(['retry', 'loss', 'backup', 'twin', 'contender', 'by-hand'] as const),
  ...(['lost-approvals', 'namespaces'] as const),
];

/** Direct mode leaves rows that only staging sends, although it may send others. */
const isNextToStage = ({summary: {posts, next}}: EngineReport): boolean => {
  const step = next === null ? undefined : stepOf(next);
  return posts === 0 || (step?.is === 'run' && step.verb === 'run');
};

const isEnded = ({summary}: EngineReport): boolean =>
  summary.in_doubt + summary.not_sent + summary.staged === 0;

const PAID: ReadonlySet<string> = new Set(['approved', 'initiated', 'debited', 'settled']);

const codeOf = (error: unknown): string | undefined => (error instanceof RemitError ? error.code : undefined);
