import type {Codec} from '../../client/requests/codec.ts';
import type {Transport} from '../../client/transport/transport.ts';
import type {Clock} from '../../clock.ts';
import type {Journal, Phase} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {RunPath} from '../model/run-path.ts';
import type {Claims} from '../registry/claim.ts';
import type {Speed} from '../speed/speed.ts';
import {type Activity, StepRate} from '../standing/activity.ts';
import {EarlierTries, noteRun} from './earlier-tries.ts';
import {Gate} from './gate.ts';
import {Halt} from './halt.ts';
import {KnownRecords} from './known-records.ts';
import {RecordIds} from './record-ids.ts';
import {Refusals} from './refusals.ts';
import {RowTries} from './row-tries.ts';
import {activityOf} from './run-activity.ts';
import type {RunSettings} from './run-settings.ts';
import {Sender} from './send.ts';
import {Outcomes} from './outcomes.ts';
import {StopRules} from './stop-rules.ts';
import type {Wire} from '../answers/wire.ts';

/** Rows that may be sent once this returns; without them, outcomes are about to be written. */
export type BeforeWindow = (window?: {phase: Phase; rows: readonly JournalRow[]}) => void;

/** The parts of one run. Each phase uses the parts that it names; no part depends on a phase. */
export interface RunParts {
  readonly journal: Journal;
  readonly claims: Claims;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly speed: Speed;
  readonly settings: RunSettings;
  /** Throws if this process must not continue; called before each window. */
  readonly beforeWindow: BeforeWindow;
  readonly halt: Halt;
  readonly gate: Gate;
  readonly rules: StopRules;
  readonly outcomes: Outcomes;
  readonly refusals: Refusals;
  readonly send: Sender;
  readonly records: KnownRecords;
  readonly recordIds: RecordIds;
  readonly tries: RowTries;
  readonly earlierTries: EarlierTries;
  /** What the run is doing now. */
  readonly activity: (path: RunPath) => Activity;
}

export interface AssembleOptions {
  journal: Journal;
  claims: Claims;
  wire: Wire;
  transport: Transport;
  codec: Codec;
  baseUrl: string;
  speed: Speed;
  clock: Clock;
  random: () => number;
  settings: RunSettings;
  keyFingerprint: string;
  /** Whether creates ask for approval. */
  isDirect: boolean;
  /** Aborts what is in flight: the second Ctrl-C. */
  abort: AbortSignal;
  beforeWindow: BeforeWindow;
}

/** Notes in the journal how this run sends, and records the doubts that earlier runs left implicit. */
export function assembleRun(options: AssembleOptions): RunParts {
  const {journal, claims, wire, clock, random, speed, settings, beforeWindow} = options;
  const {sanitizer} = journal;
  sanitizer.conceal(wire.secret);
  const sentWith = noteRun(journal, {
    ...{key: options.keyFingerprint, isDirect: options.isDirect, at: clock.now()},
  });
  journal.makeDoubtExplicit();
  const outcomes = new Outcomes({journal, claims, clock, assertHeld: beforeWindow});
  const halt = new Halt(sanitizer);
  const gate = new Gate(clock, halt);
  const {accepted, staged, unapproved} = outcomes.standing.tally;
  const rules = new StopRules({
    ...{
      clock,
      random,
      gate,
      halt,
      kind: settings.kind,
      baseUrl: options.baseUrl,
      maxWaitMs: settings.maxWaitMs,
    },
    isProven: settings.trustRefusals || accepted.count + staged.count + unapproved.count > 0,
  });
  const refusals = new Refusals(outcomes, rules);
  const rate = new StepRate();
  const send = new Sender({
    ...{transport: options.transport, codec: options.codec, clock, speed, rules, sanitizer},
    abort: options.abort,
    onSuccess: (isAfterOutage) => {
      if (isAfterOutage) rate.restart();
      refusals.believe();
    },
  });
  const records = new KnownRecords({journal, wire, send, outcomes, gate, halt});
  const recordIds = new RecordIds({journal, outcomes, halt});
  const tries = new RowTries({clock, random, rules, halt, records});
  const earlierTries = new EarlierTries({journal, records, sentWith, key: options.keyFingerprint});
  return {
    ...{journal, claims, wire, clock, speed, settings, beforeWindow},
    ...{halt, gate, rules, outcomes, refusals, send, records, recordIds, tries, earlierTries},
    activity: (path) => activityOf({clock, outcomes, tries, rules, gate}, rate, path),
  };
}
