import {idText, usualId} from '../../contract/ids.ts';
import {isObject, type JsonFields, type Json} from '../../narrow.ts';
import type {ExpectedPayment} from '../model/payment.ts';
import {fieldOf, textLeaves} from './leaves.ts';
import {type DayAt, dayOfTime, storedAmount, type Unread} from './service-line.ts';

/** Fields whose text a bank may repeat. */
const TRACES: ReadonlySet<string> = new Set(
  'trace_number trace_id end_to_end_id uetr imad omad bank_reference remit_reference'.split(' '),
);

const ACH = /ach/i;

/**
 * A payout or payin of the service's list, in canonical form. Undefined for one of a subaccount, which is not a
 * treasury account: no bank reports its money.
 */
export function servicePayment(
  record: Json,
  kind: 'payout' | 'payin',
  dayAt: DayAt,
): ExpectedPayment | Unread | undefined {
  if (isObject(record) && typeof record['subaccount_id'] === 'string') return undefined;
  const read = readPayment(record, kind, dayAt);
  if ('unread' in read) return read;
  const {facts, amount, submittedAt} = read;
  const {rail, day} = facts;
  const files = [day, ...(submittedAt === undefined ? [] : [submittedAt])];
  return {
    ...facts,
    ...{key: facts.recordId, kind, account: undefined, row: undefined},
    amount: kind === 'payout' ? -amount : amount,
    groups: rail !== undefined && ACH.test(rail) ? files.map((file) => `${kind} ${rail} ${file}`) : [],
  };
}

/** Both ends of an account transfer, as far as they are among these accounts. */
export function serviceTransfer(
  record: Json,
  accounts: ReadonlySet<string>,
  dayAt: DayAt,
): ExpectedPayment[] | Unread {
  const read = readPayment(record, 'transfer', dayAt);
  if ('unread' in read) return read;
  const {facts, amount, record: fields} = read;
  const end = (name: string, key: string, signed: bigint): ExpectedPayment[] => {
    const account = fields[name];
    if (typeof account !== 'string' || !accounts.has(usualId(account))) return [];
    const of = {key, kind: 'transfer', account: usualId(account), row: undefined, groups: []} as const;
    return [{...facts, ...of, amount: signed}];
  };
  return [
    ...end('source_account_id', facts.recordId, -amount),
    ...end('destination_account_id', `${facts.recordId}/in`, amount),
  ];
}

interface ReadPayment {
  facts: Pick<ExpectedPayment, 'currency' | 'rail' | 'status' | 'day' | 'traces'> & {recordId: string};
  /** Positive. */
  amount: bigint;
  record: JsonFields;
  /** When it was handed to the bank: all payments of one ACH file have the same time. */
  submittedAt: string | undefined;
}

function readPayment(record: Json, noun: string, dayAt: DayAt): ReadPayment | Unread {
  const id = isObject(record) ? idText(record['id']) : undefined;
  if (!isObject(record) || id === undefined || id === '') return {unread: `a ${noun} has no readable id`};
  const {currency_code: currency, rail, status} = record;
  const amount = storedAmount(record['amount_in_minor_units']);
  if (amount === undefined) return {unread: `${noun} ${id} has no readable amount`};
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    return {unread: `${noun} ${id} has no readable currency`};
  const leaves = textLeaves(record);
  const textOf = (name: string) => leaves.find((leaf) => fieldOf(leaf) === name)?.text;
  const submittedAt = textOf('submitted_at');
  const begun = submittedAt ?? textOf('scheduled_date') ?? textOf('created_at');
  const day = begun === undefined ? undefined : dayOfTime(begun, dayAt);
  if (day === undefined) return {unread: `${noun} ${id} has no readable date`};
  return {
    ...{amount, record, submittedAt},
    facts: {
      ...{recordId: usualId(id), currency, day},
      rail: typeof rail === 'string' ? rail : undefined,
      status: typeof status === 'string' ? status : undefined,
      traces: [...new Set(leaves.filter((leaf) => TRACES.has(fieldOf(leaf))).map(({text}) => text))],
    },
  };
}
