import type {PartyRow} from './row.ts';
import type {Json} from '../narrow.ts';

/**
 * What became of a request. After `unsent` it may be sent again: it did not leave, or the service answered that it is too
 * busy. `reached` is how many times the service may have received it.
 */
export type SendEnd = {reached: number} & (
  {is: 'done'; record: Json} | {is: 'refused' | 'unknown' | 'unsent'; why: string}
);

/** The requests of an import. A rejected promise ends it: the key was refused, or the run was interrupted. */
export interface PartyService {
  create(row: PartyRow): Promise<SendEnd>;
  add(row: PartyRow, partyId: string): Promise<SendEnd>;
  setDefault(partyId: string, methodId: string): Promise<SendEnd>;
  /** Undefined if the service answers that there is no such record. */
  party(id: string): Promise<Json>;
  /** All payees or payers; rejects if the list may be cut. */
  parties(): AsyncIterable<Json>;
  methods(partyId: string): AsyncIterable<Json>;
}

/** A row that needs a person, and why. */
export interface RowProblem {
  row: PartyRow;
  is:
    | 'refused'
    | 'in_doubt'
    | 'not_sent'
    | 'duplicate'
    | 'other_record'
    | 'gone'
    | 'unverified'
    | 'not_default';
  why: string;
  /** Ids of records beside the one that is recorded. */
  others?: readonly string[];
}
