import type {CommandBuilder} from '../../errors.ts';
import {lineName, majorText} from '../../reconcile/report/words.ts';
import type {Match} from '../../reconcile/model/finding.ts';
import type {BankLine} from '../../reconcile/model/line.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import {isReturnOf, type ReconcileFinding} from '../../reconcile/report/report.ts';

const TOPICS = {payout: 'payouts', payin: 'payins', transfer: 'transfers'} as const;
/** Candidates for each of which a command is printed. */
const MOST_CANDIDATES = 3;

/** What to type next about a finding, with its real ids. */
export function nextOf(
  {kind, payment, line, candidates, earlierFrom}: ReconcileFinding,
  commands: CommandBuilder,
): string[] {
  if (payment === undefined) {
    if (line === undefined) return [];
    if (kind === 'statement_only') return [commands.read('reconcile', '--account', line.account)];
    // A return that is ignored is never seen again, so ignoring comes last.
    if (earlierFrom !== undefined)
      return [commands.read('reconcile', '--account', line.account, '--from', earlierFrom)];
    return [
      ...candidates.slice(0, MOST_CANDIDATES).map((key) => confirm(lineName(line), [key], commands)),
      ignore(lineName(line), commands),
    ];
  }
  const {payment: expected, match} = payment;
  const {row, recordId} = expected;
  if (kind === 'returned' && row !== undefined)
    return [commands.read(topicOf(expected), 'batch', 'status', row.batch)];
  if (kind === 'amount_differs' && line !== undefined && match?.lines.includes(line.key) !== true)
    return [
      isReturnOf(line, expected)
        ? confirmDifference(line, expected, commands)
        : ignore(lineName(line), commands),
    ];
  if (kind === 'doubt_resolved' && row !== undefined && recordId !== undefined)
    return [
      commands.read(topicOf(expected), 'batch', 'resolve', row.batch, row.reference, '--paid', recordId),
    ];
  if (kind === 'suggested' && line !== undefined)
    return [
      confirm(lineName(line), match?.payments ?? [expected.key], commands, feeOf(match, line)),
      commands.read(
        'reconcile',
        'reject',
        lineName(line),
        ...(match?.payments ?? [expected.key]),
        '--note',
        'TEXT',
      ),
    ];
  if (kind === 'ambiguous')
    return candidates.slice(0, MOST_CANDIDATES).map((key) => confirm(key, [expected.key], commands));
  if (recordId !== undefined) return [commands.read(topicOf(expected), 'get', recordId)];
  return row === undefined
    ? []
    : [commands.read(topicOf(expected), 'batch', 'status', row.batch, '--row', row.reference)];
}

const topicOf = ({kind}: ExpectedPayment) => TOPICS[kind];

const ignore = (line: string, commands: CommandBuilder): string =>
  commands.read('reconcile', 'ignore', line, '--note', 'TEXT');

function confirmDifference(
  line: BankLine,
  {key, amount, currency}: ExpectedPayment,
  commands: CommandBuilder,
) {
  return confirm(lineName(line), [key], commands, statedDifference(line.amount + amount, currency));
}

const statedDifference = (minor: bigint, currency: string): readonly string[] => [
  '--difference',
  majorText(minor < 0n ? -minor : minor, currency),
];

/** A line less a fee differs from its payments. */
const feeOf = (match: Match | undefined, {currency}: BankLine): readonly string[] =>
  match === undefined || match.difference === 0n ? [] : statedDifference(match.difference, currency);

const confirm = (
  line: string,
  payments: readonly string[],
  commands: CommandBuilder,
  difference: readonly string[] = [],
): string => commands.read('reconcile', 'confirm', line, ...payments, ...difference, '--note', 'TEXT');
