import {isList, isObject} from '../../../src/narrow.ts';
import type {Topic} from './difference.ts';
import {type Known, type KnownRecord, PAGE} from './known.ts';

/** A command, and the records that it must show if it exits with 0. */
export interface AskedCommand {
  readonly line: string;
  /** The records, with the values that are shown; undefined if there is no such record. */
  readonly shows: readonly KnownRecord[] | undefined;
  /** A refusal that shows that the service read the request. */
  readonly mayRefuse?: RegExp;
  /** The list may have other records too. */
  readonly isList?: true;
}

/** An id that no record has. */
export const NO_RECORD = '018f0000-0000-7000-8000-000000000000';

/**
 * The commands of a topic.
 * @param round 0 without a service file, 1 with it: a payout can be approved only once
 */
export function commandsOf(topic: Topic, known: Known, round: 0 | 1): readonly AskedCommand[] {
  const all = (line: string, shows: readonly KnownRecord[]): AskedCommand => ({
    ...{line: `${line} --all --page-size ${PAGE}`, shows, isList: true},
  });
  const list = (line: string, shows: readonly KnownRecord[]): AskedCommand => ({line, shows, isList: true});
  const one = (line: string, record: KnownRecord | undefined, changes: object = {}): AskedCommand => ({
    ...{line, shows: record === undefined ? undefined : [{...record, ...changes}]},
  });
  const at = <T extends {id: string}>(records: readonly T[], n = 0): T => {
    const record = records[n];
    if (record === undefined) throw new Error(`${topic}: there is no record ${n}`);
    return record;
  };
  switch (topic) {
    case 'payouts': {
      const [approved, canceled, read] = [
        at(known.payouts, round),
        at(known.payouts, 2 + round),
        at(known.payouts, 4),
      ];
      // Another amount: a payment that is in doubt without the service file is not sent again.
      const amount = round === 0 ? '12.50' : '12.75';
      const made = {
        id: '',
        amount_in_minor_units: Number(amount) * 100,
        status: 'created',
        payee_id: known.payee,
      };
      return [
        one(
          `payouts create --payee ${known.payee} --amount ${amount} --currency USD --rail standard_ach --metadata a=b`,
          made,
        ),
        all(
          'payouts list --order desc',
          known.payouts.map(({id, amount_in_minor_units, payee_id}) => ({
            id,
            amount_in_minor_units,
            payee_id,
          })),
        ),
        one(`payouts get ${read.id}`, read),
        one(`payouts get ${NO_RECORD}`, undefined),
        one(`payouts approve ${approved.id} --wait`, approved, {status: 'settled'}),
        one(`payouts cancel ${canceled.id}`, canceled, {status: 'canceled'}),
      ];
    }
    case 'payins':
      return [
        all(
          'payins list',
          known.payins.map(({id, payer_id, amount_in_minor_units}) => ({
            id,
            payer_id,
            amount_in_minor_units,
          })),
        ),
        one(
          `payins create --payer ${at(known.payers).id} --payment-method ${at(known.payerMethods).id} --amount 4.2${round} --currency USD`,
          {id: '', amount_in_minor_units: 420 + round, payer_id: at(known.payers).id},
        ),
        one(`payins get ${at(known.payins, 2).id}`, at(known.payins, 2)),
        one(`payins cancel ${at(known.payins, round).id}`, at(known.payins, round), {status: 'canceled'}),
      ];
    case 'parties':
      return [
        one(`payees create --name New-${round}`, {id: '', name: `New-${round}`}),
        all('payees list', known.payees),
        one(`payees get ${at(known.payees, 1).id}`, at(known.payees, 1)),
        all('payers list', known.payers),
        one(`payers get ${at(known.payers).id}`, at(known.payers)),
        list(`payment-methods list --payee ${known.payee}`, known.methods),
      ];
    case 'subaccounts':
      return [
        all('subaccounts list', known.subaccounts),
        one(`subaccounts get ${at(known.subaccounts).id}`, at(known.subaccounts)),
        all('moves list', known.moves),
        one(`moves get ${at(known.moves).id}`, at(known.moves)),
        {
          ...one(`moves approve ${at(known.moves, round).id}`, at(known.moves, round)),
          mayRefuse: /insufficient funds/,
        },
      ];
    case 'treasury': {
      const [one0, other] = [at(known.accounts), at(known.accounts, 1)];
      const label = `Label-${round}`;
      return [
        list('treasury accounts', known.accounts.slice(2)),
        one(`treasury label ${one0.id} ${label}`, {...one0, label}),
        {line: `treasury balance ${other.id}`, shows: []},
        {line: `treasury transactions ${other.id}`, shows: [], isList: true},
        all('transfers list', known.transfers),
        one(`transfers get ${at(known.transfers).id}`, at(known.transfers)),
        one(`transfers approve ${at(known.transfers, round).id}`, at(known.transfers, round)),
        one(
          `transfers create --source ${one0.id} --destination ${other.id} --amount 3.2${round} --currency USD --rail book`,
          {
            id: '',
            amount_in_minor_units: 320 + round,
            source_account_id: one0.id,
            destination_account_id: other.id,
          },
        ),
      ];
    }
    case 'webhooks':
      return [
        list(
          'webhooks endpoints list',
          known.endpoints.map(({id, url}) => ({id, url})),
        ),
        one(`webhooks endpoints get ${at(known.endpoints, 2).id}`, at(known.endpoints, 2)),
        one(`webhooks endpoints disable ${at(known.endpoints, round).id}`, at(known.endpoints, round), {
          is_active: false,
        }),
        {line: 'webhooks event-types', shows: [], isList: true},
      ];
  }
}

/** `untrue`: a value, or the absence of a record, is not what the service has. `part`: a value is not shown. */
export type Shown = 'whole' | 'part' | 'untrue';

/** Compares what a command printed with exit code 0 with what the service has. */
export function compare({shows, isList: isListed}: AskedCommand, json: unknown): Shown {
  if (shows === undefined) return 'untrue';
  const printed = (isListed ? itemsIn(json) : [json]).filter(isObject);
  const ids = printed.flatMap(({id}) => (id === undefined || id === null ? [] : [id]));
  if (printed.length < shows.length || new Set(ids).size < ids.length) return 'untrue';
  if (ids.length === 0) return shows.length === 0 ? 'whole' : 'part';
  const all = shows.map((known) => {
    const record = isListed ? printed.find(({id}) => id === known.id) : printed[0];
    return record === undefined ? 'untrue' : compareOne(known, record);
  });
  return all.includes('untrue') ? 'untrue' : all.includes('part') ? 'part' : 'whole';
}

function compareOne(known: KnownRecord, record: Readonly<Record<string, unknown>>): Shown {
  let shown: Shown = 'whole';
  for (const [name, value] of Object.entries(known)) {
    const own = record[name];
    if ((name === 'id' && value === '') || String(own) === String(value)) continue;
    if (isOther(name, own)) return 'untrue';
    shown = 'part';
  }
  return shown;
}

const itemsIn = (json: unknown): readonly unknown[] =>
  isList(json) ? json : isObject(json) && isList(json['data']) ? json['data'] : [];

/** Whether a value claims something else: a word of the service for a status claims nothing. */
const isOther = (name: string, value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !(name === 'status' && typeof value === 'string' && !STATUSES.test(value));
const STATUSES = /^(created|approved|canceled|settled|failed)$/;
