import type {CommandBuilder} from '../../errors.ts';
import {lineName, majorText} from '../../reconcile/report/words.ts';
import type {BankLine} from '../../reconcile/model/line.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import type {FoundPayment} from '../../reconcile/book/findings.ts';
import {isReturnOf} from '../../reconcile/model/payment.ts';
import type {ReconcileFinding} from '../../reconcile/report/report.ts';

const TOPICS = {payout: 'payouts', payin: 'payins', transfer: 'transfers'} as const;
/** Candidates for each of which a command is printed. */
const MOST_CANDIDATES = 3;

/** What to type next about a finding, with its real ids. */
export const nextOf = (finding: ReconcileFinding, commands: CommandBuilder): string[] =>
  finding.payment === undefined
    ? aboutLine(finding, commands)
    : aboutPayment({...finding, payment: finding.payment}, commands);

function aboutLine(
  {kind, line, candidates, earlierFrom, statements}: ReconcileFinding,
  commands: CommandBuilder,
): string[] {
  if (line === undefined) return [];
  const again = ['reconcile', '--account', line.account];
  if (kind === 'statement_only' || (kind === 'changed' && line.source === 'statement'))
    return [
      ...(kind === 'statement_only' ? [commands.read(...again)] : []),
      ...(statements ?? []).map((id) => commands.read('reconcile', 'forget', id, '--note', 'TEXT')),
    ];
  // A return that is ignored is never seen again, so ignoring comes last.
  if (earlierFrom !== undefined) return [commands.read(...again, '--from', earlierFrom)];
  return [
    ...candidates.slice(0, MOST_CANDIDATES).map((key) => confirm(line, [key], 0n, commands)),
    ignore(line, commands),
  ];
}

function aboutPayment(
  {kind, payment: found, line, candidates, other}: ReconcileFinding & {payment: FoundPayment},
  commands: CommandBuilder,
): string[] {
  const {payment, match} = found;
  const {row, recordId} = payment;
  const topic = TOPICS[payment.kind];
  const keys = match?.payments ?? [payment.key];
  const record =
    recordId !== undefined
      ? [commands.read(topic, 'get', recordId)]
      : row === undefined
        ? []
        : [commands.read(topic, 'batch', 'status', row.batch, '--row', row.reference)];
  switch (kind) {
    case 'returned':
      // Nothing pays it again that a later run could find.
      if (row === undefined && line !== undefined) {
        const difference = differenceOf(line, payment);
        return [...record, confirm(line, found.returned?.payments ?? [payment.key], difference, commands)];
      }
      if (other !== undefined) return confirmOther(other, topic, commands);
      return row === undefined ? record : [commands.read(topic, 'batch', 'status', row.batch)];
    case 'returning':
      return line === undefined ? record : [commands.read('reconcile', '--account', line.account)];
    case 'unapproved':
      return row === undefined ? record : [commands.read(topic, 'batch', 'status', row.batch)];
    case 'amount_differs':
      if (line === undefined) return record;
      if (line.amount === 0n || line.currency !== payment.currency)
        return [...record, ignore(line, commands)];
      if (match?.lines.includes(line.key) !== true && !isReturnOf(line, payment))
        return [ignore(line, commands)];
      return match?.lines.length === 1 || isReturnOf(line, payment)
        ? [
            confirm(line, [payment.key], differenceOf(line, payment), commands),
            ...(isReturnOf(line, payment) ? [reject(line, [payment.key], commands)] : []),
          ]
        : record;
    case 'doubt_resolved':
      return row === undefined || recordId === undefined
        ? record
        : [commands.read(topic, 'batch', 'resolve', row.batch, row.reference, '--paid', recordId)];
    case 'suggested':
      if (line === undefined) return record;
      return [confirm(line, keys, match?.difference ?? 0n, commands), reject(line, keys, commands)];
    case 'duplicate':
      // Beside the line of the payment: the bank has booked it once more.
      if (line !== undefined && found.state !== 'duplicate') return [...record, ignore(line, commands)];
      return confirmEach(candidates.length > 0 ? candidates : (match?.lines ?? []), payment, commands);
    case 'ambiguous':
      return candidates.length === 0 ? record : confirmEach(candidates, payment, commands);
    case 'unplanned':
      return line === undefined || match === undefined
        ? record
        : [...record, confirm(line, keys, match.difference, commands)];
    default:
      return record;
  }
}

const ignore = (line: BankLine, commands: CommandBuilder): string =>
  commands.read('reconcile', 'ignore', lineName(line), '--note', 'TEXT');

const reject = (line: BankLine, payments: readonly string[], commands: CommandBuilder): string =>
  commands.read('reconcile', 'reject', lineName(line), ...payments, '--note', 'TEXT');

/** A payment of another amount settles a returned row once its own line is confirmed. */
function confirmOther({payment, match}: FoundPayment, topic: string, commands: CommandBuilder): string[] {
  const [line] = match?.lines ?? [];
  const {recordId = payment.key, currency} = payment;
  const about = commands.read(topic, 'get', recordId);
  if (match === undefined || line === undefined) return [about];
  return [about, confirm({id: undefined, key: line, currency}, match.payments, match.difference, commands)];
}

const differenceOf = (line: BankLine, {amount}: ExpectedPayment): bigint =>
  isReturnOf(line, {amount}) ? line.amount + amount : line.amount - amount;

/** @param difference between the line and its payments, minor units */
function confirm(
  line: Pick<BankLine, 'id' | 'key' | 'currency'>,
  payments: readonly string[],
  difference: bigint,
  commands: CommandBuilder,
): string {
  const stated = majorText(difference < 0n ? -difference : difference, line.currency);
  const more = difference === 0n ? [] : ['--difference', stated];
  return commands.read('reconcile', 'confirm', lineName(line), ...payments, ...more, '--note', 'TEXT');
}

const confirmEach = (
  lines: readonly string[],
  {key, currency}: ExpectedPayment,
  commands: CommandBuilder,
): string[] =>
  lines
    .slice(0, MOST_CANDIDATES)
    .map((line) => confirm({id: undefined, key: line, currency}, [key], 0n, commands));
