import {bareCommands} from '../bare-commands.ts';
import type {Goal} from '../../../src/batch/follow/counts.ts';
import {FollowPace} from '../../../src/batch/follow/pace.ts';
import {type Followed, FollowRun} from '../../../src/batch/follow/follow-run.ts';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {Wire} from '../../../src/batch/answers/wire.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import {DEFAULT_TIMEOUTS, type Transport} from '../../../src/client/transport/transport.ts';
import {Bench} from '../harness.ts';
import {TruthService, type TruthRecord} from '../truth-service.ts';

export interface FollowArguments {
  until?: Goal;
  timeoutMs?: number;
  maxRps?: number;
  maxWaitMs?: number;
  abort?: AbortSignal;
  transport?: Transport;
  random?: () => number;
  out?: string;
  onProgress?: (line: string) => void;
}

/** A batch whose rows were accepted, and a service whose records go on by a script. */
export class FollowBench extends Bench {
  readonly service = new TruthService();
  /** Statuses that were not known, as they were told. */
  readonly unknown: [string, string][] = [];

  constructor() {
    super();
    this.service.now = () => this.clock.now();
  }

  /** Plans and pays `rows` rows; every record is `approved` then. */
  async pay(rows: number): Promise<void> {
    await this.plan(this.payouts(rows));
    await this.run(this.service);
    this.service.requests.length = 0;
  }

  /** The record of a row. */
  record(reference: string): TruthRecord {
    for (const record of this.service.byId.values())
      if ((record.body['metadata'] as Record<string, string>)['remit_reference'] === reference) return record;
    throw new Error(`no record of ${reference}`);
  }

  settleAll(): void {
    for (const record of this.service.byId.values()) record.status = 'settled';
  }

  /** The requests that asked for the record of a row. */
  looksAt(reference: string): number[] {
    const {id} = this.record(reference);
    return this.service.requests.filter(({path}) => path.endsWith(id)).map(({at}) => at);
  }

  async follow(given: FollowArguments = {}): Promise<{summary: Summary; followed: Followed}> {
    const batch = await openBatch({
      ...{stateDir: this.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: this.clock},
    });
    try {
      return await new FollowRun({
        batch,
        before: readSummary(batch, 0),
        wire: new Wire({
          ...{kind: 'payout', mode: 'test', namespace: batch.plan.namespace, key: 'test_key'},
          timeouts: DEFAULT_TIMEOUTS,
        }),
        transport: given.transport ?? this.service.transport(),
        pace: new FollowPace(given.maxRps),
        clock: this.clock,
        random: given.random ?? (() => 0.5),
        until: given.until,
        timeoutMs: given.timeoutMs,
        maxWaitMs: given.maxWaitMs ?? 15 * 60_000,
        abort: given.abort ?? new AbortController().signal,
        out: given.out,
        commands: bareCommands(null),
        onProgress: given.onProgress ?? (() => undefined),
        onUnknown: (status, reference) => this.unknown.push([status, reference]),
      }).run();
    } finally {
      await batch.close();
    }
  }

  /** What the journal knows of every row, in the order of the file. */
  async rows(): Promise<JournalRow[]> {
    const batch = await openBatch({
      ...{stateDir: this.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: this.clock},
    });
    try {
      return batch.journal.rows.after(0, 100_000);
    } finally {
      await batch.close();
    }
  }
}
