import type {PaidContent} from '../journal/rows/paid-content.ts';

/** The claim of a reference, as stored in the registry. */
export interface Entry {
  reference: string;
  profile: string;
  batch: string;
  journal: string;
  generation: number;
  fingerprint: string;
  /** Id of the record, once it was accepted. */
  id: string | null;
  paid: boolean;
  /** When it was claimed. */
  at: number;
  /** When the service may first have seen its key, if a record or a journal showed it. */
  since: number | null;
  /**
   * `ended`: the record of this generation has failed or was canceled. `freed`: the claim was given back, and the key
   * of this generation created no record. Neither prevents a batch from claiming the reference.
   */
  standing: 'ended' | 'freed' | null;
  /** `contentOf` of the claim; null in old entries. */
  content: string | null;
}

/** A record that was shown as failed or canceled, and the batch that had made it. */
export interface FormerRecord {
  id: string;
  batch: string;
  /** That is the batch which reads it. */
  isOurs: boolean;
}

/** Who receives how much: two claims of a reference with equal content are the same payment. */
export const contentOf = ({party, amount, currency}: PaidContent): string => `${party} ${amount} ${currency}`;

/** Who has received how much; undefined in old entries, and for what an earlier version wrote in another form. */
export function paidContent({content}: Pick<Entry, 'content'>): PaidContent | undefined {
  const [, party, minor, currency] = /^(\S+) (\d{1,16}) (\S+)$/.exec(content ?? '') ?? [];
  if (party === undefined || minor === undefined || currency === undefined) return undefined;
  return {party, amount: Number(minor), currency};
}

/** Whether an entry is for the payment that a row requests. Rail, method and metadata may differ. */
export const isSamePayment = (entry: Entry, row: PaidContent & {fingerprint: string}): boolean =>
  entry.content === null ? entry.fingerprint === row.fingerprint : entry.content === contentOf(row);

/** The message of a row that another batch has paid. */
export const paidByText = ({batch, id}: Pick<Entry, 'batch' | 'id'>): string =>
  `paid by batch ${batch}${recordText({id})}`;

/** The batch that such a message names. */
export const paidByBatch = (message: string | null): string | undefined =>
  /^paid by batch ([\w.-]+)(?:, record |$)/.exec(message ?? '')?.[1];

export const recordText = ({id}: Pick<Entry, 'id'>): string => (id === null ? '' : `, record ${id}`);

/** The lowest generation allowed for the next claim of a reference. */
export const leastGeneration = (entry: Entry | undefined): number =>
  entry === undefined || entry.standing === null
    ? 0
    : entry.generation + (entry.standing === 'ended' ? 1 : 0);

/** When the service may first have seen the key of a claim; the horizon counts from then. */
export const keySince = ({at, since}: Entry): number => Math.min(at, since ?? at);

/** Columns of a stored entry `e` and its claimant `c`. */
export const ENTRY =
  'e.reference, c.profile, c.batch, c.journal, e.generation, e.fingerprint, e.id, e.paid, e.at, e.since, e.standing, e.content';

/** An entry read from those columns. */
export interface StoredEntry extends Omit<Entry, 'paid'> {
  paid: 0 | 1;
}
export const toEntry = (stored: StoredEntry): Entry => ({...stored, paid: stored.paid === 1});
