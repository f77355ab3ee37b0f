import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {JournalRow, RecordedRow} from '../journal/rows/row.ts';
import {CAME_AGAIN} from '../model/outcome.ts';

export const lostText = ({n, reference}: JournalRow, id: string): string =>
  `the record ${id} of row ${n} (${reference}) is no longer found`;

export const otherRecordText = ({n, reference}: JournalRow): string =>
  `row ${n} (${reference}) was answered with a different record than requested`;

/** @param why of the first of them, if the service has said why */
export const notCanceledText = (rows: number, why: string | undefined): string =>
  `the batch is being canceled, and ${rows === 1 ? '1 row is' : `${rows} rows are`} not canceled${why === undefined ? '' : `: ${why}`}`;

/** The row of this batch that has a record. */
export const ownerText = (owner: JournalRow | 'not looked up'): string =>
  owner === 'not looked up' ? 'another row' : `row ${owner.n} (${owner.reference})`;

/** The row of another batch that has a record. */
export const holderText = ({reference, batch}: {reference: string; batch: string}): string =>
  `row ${reference} of batch ${batch}`;

/** @param owner as `ownerText` or `holderText` */
export const takenRecordText = (id: string, owner: string): string =>
  `record ${id} came back, which is already the record of ${owner}; a record pays one row`;

/** Message for an answer that ends the run. */
export const answeredText = (words: string): string => `the service answered ${words}`;

/** Message for a redirect, with the address that it came from. */
export const redirectedText = (words: string, baseUrl: string): string =>
  `${answeredText(words)}. Redirects are never followed: check the base URL ${baseUrl}`;

export const bodiesComparedText = ({n, reference}: JournalRow, words: string): string =>
  `the release of row ${n} (${reference}) was refused with its key (${words}), and its record is still created. The service compares the bodies of requests with one key, so the records have to be approved by their ids`;

/** The record was made by a request that approved it, as in direct mode, or by one that is still in progress. */
export const probeComparedText = ({n, reference}: JournalRow, words: string): string =>
  `the probe before the release, the replay of row ${n} (${reference}), was refused with its key (${words}). The service compares the bodies of requests with one key, so the records have to be approved by their ids`;

/** A probe was refused because of its key, and the record of the row has not ended. */
export const refusedKeyText = ({n, reference, outcome}: RecordedRow, words: string, status: string): string =>
  `the probe before the release, the replay of row ${n} (${reference}), was refused with its key (${words}), although its record ${outcome.id} is ${status === 'created' ? 'still created' : status}. Either the key belongs to another record, because the service has forgotten it, or the service compares the bodies of requests with one key; the records have to be approved by their ids. The probe moved no money`;

/** An earlier run has shown a second record for the key of the row. */
export const twoRecordsText = ({n, reference, outcome}: RecordedRow): string =>
  `the service has forgotten the key of row ${n} (${reference}) before, and has made two records with it: ${outcome.id}, and ${outcome.orphan}, which was left behind. The records have to be approved by their ids; the probe moved no money`;

/** Message for a Retry-After longer than the run waits. */
export const waitTooLongText = (ms: number): string =>
  `the service asks to wait ${Math.ceil(ms / 1000)} s, longer than --max-wait`;

/** @param isLeft the staged record was read and is still `created` */
export const paidTwiceText = ({n, reference}: JournalRow, stagedId: string, isLeft: boolean): string =>
  `the service had forgotten the key of row ${n} (${reference}) and paid it with a second record; the staged record ${isLeft ? 'stays unapproved' : `${stagedId} was not found, or could not be read`}`;

/**
 * The record of the row was approved as well.
 * @param own its id and status
 */
export const bothPaidText = ({n, reference}: JournalRow, own: string, otherId: string | null): string =>
  `the release of row ${n} (${reference}) was answered with record ${otherId}, and its own record ${own}: it may be paid twice`;

/** The row is left in doubt, with the code KEY_FORGOTTEN. */
export const MAYBE_BY_SECOND =
  'its release was not answered, and the service has since forgotten its keys: it may have been paid by a second record. Look for one with this reference, then resolve the row; its own record is not approved';

/**
 * What a read of a row's record has shown. It says so if the same was shown before: another read would not help.
 * @param sanitizer of the journal, which has stored the earlier words
 */
export const shownText = ({outcome}: JournalRow, words: string, sanitizer: Sanitizer): string =>
  outcome?.message?.startsWith(sanitizer.words(words)) === true ? words + CAME_AGAIN : words;
