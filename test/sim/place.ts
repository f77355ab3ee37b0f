import {SimDisk} from './disk.ts';
import type {SimRow} from './rows.ts';

/** What a batch was last known to hold, and what was said of its rows. */
export interface KnownBatch {
  rows: readonly SimRow[];
  /** State of each row as last reported. */
  reported: Map<string, string>;
  /** The last run ended with nothing left to do. */
  isComplete: boolean;
  /** It was confirmed and run, so that its file may not change at will any more. */
  isDirect: boolean;
}

/** A state folder with the file beside it, on a disk of its own: what one person has. */
export class Place {
  readonly name: string;
  readonly disk: SimDisk;
  readonly root: string;
  readonly stateDir: string;
  readonly inbox: string;
  readonly batches = new Map<string, KnownBatch>();
  /** The rows of every version of each batch's file that was ever planned here. */
  readonly #planned = new Map<string, Map<string, SimRow>>();
  /** Begin of the first run that broke off: its windows say "may have been sent" also of rows that were not. */
  doubtSince = Infinity;
  /** Begin of the first run of each batch, which may have claimed its rows: a claim outlives the journal. */
  readonly firstRunAt = new Map<string, number>();
  /** Batches of which a run with leave to approve once more broke off: its windows put rows in doubt that it had not sent. */
  readonly brokenRetries = new Set<string>();
  /** The last request by which a run with that leave read a record, by batch and id. */
  readonly takenUp = new Map<string, number>();
  /** Rows, by batch and reference, whose record a command has read `created` after its approval was lost. */
  readonly shownLost = new Set<string>();
  /** The last answer that showed that the records of a batch can be approved by their ids only, by its request. */
  readonly byIdSince = new Map<string, number>();
  /** The last request before the first run of a batch was confirmed: since then it may have claimed its rows. */
  readonly confirmed = new Map<string, number>();
  /** The last request before the look-alikes of a batch were acknowledged. */
  readonly acknowledged = new Map<string, number>();
  /** The same for references that were used under another namespace. */
  readonly acceptedElsewhere = new Map<string, number>();
  /** Batches of which the intent to cancel them is on the disk. */
  readonly canceling = new Set<string>();
  /** Batches whose cancel was begun, by a run that may have been killed before or after the intent was on the disk. */
  readonly cancelTried = new Set<string>();
  /** A backup was put back: the journals may know more than what was sent since. */
  isRestored = false;
  #registryLostAt = 0;
  #journalsLostAt = 0;
  /** A run may not have read the journals since, so that losing them too loses what they had. */
  #lostRegistry = false;

  constructor(name: string, keepsLosses: boolean) {
    this.name = name;
    this.root = `/sim/${name}`;
    this.stateDir = `${this.root}/state`;
    this.inbox = `${this.root}/in`;
    this.disk = new SimDisk(this.root, keepsLosses);
  }

  plan(batchId: string, rows: readonly SimRow[], isDirect: boolean): void {
    const known = this.batches.get(batchId);
    const reported = known?.reported ?? new Map<string, string>();
    for (const reference of reported.keys())
      if (
        known?.rows.find((row) => row.reference === reference) !==
        rows.find((row) => row.reference === reference)
      )
        reported.delete(reference); // corrected, or dropped
    this.batches.set(batchId, {
      rows,
      reported,
      isComplete: false,
      isDirect: isDirect || (known?.isDirect ?? false),
    });
    this.#planned.set(batchId, new Map(rows.map((row) => [row.reference, row])));
  }

  /** The files of its batches as they are planned now. */
  plans(): Map<string, readonly SimRow[]> {
    return new Map([...this.batches].map(([batchId, {rows}]) => [batchId, rows]));
  }

  /** A backup was put back: the journals hold these files again, and nothing that was said since. */
  restorePlans(plans: ReadonlyMap<string, readonly SimRow[]>): void {
    this.isRestored = true;
    for (const [batchId, rows] of plans) this.plan(batchId, rows, this.batches.get(batchId)!.isDirect);
  }

  planned(batchId: string, reference: string): SimRow | undefined {
    return this.#planned.get(batchId)?.get(reference);
  }

  /** Registry and journals are gone. */
  registryLost(attempts: number): void {
    this.#registryLostAt = attempts;
  }

  /** The registry is gone, or older than the journals, which have everything since they were last lost. */
  registryAlone(): void {
    this.#registryLostAt = Math.max(this.#registryLostAt, this.#journalsLostAt);
    this.#lostRegistry = true;
  }

  journalLost(attempts: number): void {
    this.#journalsLostAt = attempts;
    if (this.#lostRegistry) this.#registryLostAt = attempts;
    this.canceling.clear();
  }

  /** Whether the registry has been there ever since a request was sent. */
  registryKeptSince(attempt: number): boolean {
    return attempt > this.#registryLostAt;
  }

  /** Since when the keys of a batch may be in use, as far as only its claims say; Infinity while its journal is there. */
  claimedSince(batchId: string): number {
    return this.#journalsLostAt > 0 ? (this.firstRunAt.get(batchId) ?? Infinity) : Infinity;
  }

  journalsKeptSince(attempt: number): boolean {
    return attempt > this.#journalsLostAt;
  }
}
