import type {CommandBuilder} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import type {CountedSum, CurrencyTotals} from '../../reconcile/model/totals.ts';
import type {ReconcileFinding} from '../../reconcile/report/report.ts';
import {findingText, lineName, majorText, STATE_WORDS} from '../../reconcile/report/words.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type {Reconciled} from '../help/outputs/reconcile.ts';
import {nextOf} from './next.ts';
import type {ReconcileRun} from './run.ts';

type Printed = Shown<typeof Reconciled>;

/** The result for scripts. Amounts are exact, in major units. */
export function printedRun(
  {report, lines, statement, labels}: ReconcileRun,
  files: readonly string[],
  commands: CommandBuilder,
): Printed {
  const {accounts, from, to, batches, conclusive, why, counts, unplanned} = report;
  return {
    accounts: accounts.map(({id}) => ({id, label: labels.get(id) ?? null})),
    ...{from, to, batches, conclusive, why, lines, counts, files},
    statement: statement === undefined ? null : {format: statement.format, lines: statement.lines},
    totals: report.tables.map(printedTotals),
    findings: report.findings.map((finding) => printedFinding(finding, commands)),
    unplanned,
  };
}

function printedTotals(totals: CurrencyTotals): Printed['totals'][number] {
  const {account, currency, opening, closing, balances} = totals;
  const major = (minor: bigint | undefined) => (minor === undefined ? null : majorText(minor, currency));
  const counted = ({count, sum}: CountedSum) => ({count, amount: majorText(sum, currency)});
  const {matched, returned, internal, unexplained, pending, planned, payments} = totals;
  return {
    ...{account: account ?? null, currency_code: currency},
    ...{opening: major(opening), closing: major(closing), balances},
    ...{matched: counted(matched), returned: counted(returned), internal: counted(internal)},
    ...{unexplained: counted(unexplained), pending: counted(pending), planned: counted(planned)},
    carried_over: counted(totals.carried),
    payments: Object.fromEntries(keysOf(STATE_WORDS).map((state) => [state, counted(payments[state])])),
  };
}

function printedFinding(finding: ReconcileFinding, commands: CommandBuilder): Printed['findings'][number] {
  const {kind, payment, line, candidates} = finding;
  const about = payment?.payment ?? line;
  return {
    ...{kind, text: findingText(finding), candidates},
    payment: payment?.payment.key ?? null,
    batch: payment?.payment.row?.batch ?? null,
    reference: payment?.payment.row?.reference ?? null,
    line: line === undefined ? null : lineName(line),
    amount: about === undefined ? '' : majorText(about.amount, about.currency),
    currency_code: about?.currency ?? '',
    day: line?.bookingDay ?? null,
    return_code: payment?.returned?.returnCode ?? line?.returnCode ?? null,
    next: nextOf(finding, commands),
  };
}
