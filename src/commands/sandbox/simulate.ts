import {LIFECYCLES, hasSucceeded} from '../../contract/lifecycle.ts';
import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {count, duration} from '../../cli/input/global-flags.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../cli/sandbox/target.ts';
import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {majorOf} from '../../output/records/view.ts';
import {SIMULATED_KINDS, outcomesOf, type Simulated} from '../../sandbox/outcomes/outcomes.ts';

const CAME_BACK = " The record shows no failure; the account's transactions show the return.";

export default class SandboxSimulate extends RemitCommand {
  static override summary = 'Change a record of the running sandbox, for example settle a payout';
  static override description =
    'The outcome overrides scenarios, magic values and the calendar. Outcomes of payin and payout: initiate, debit, settle, fail, return; of account-transfer: initiate, settle, fail; of subaccount: credit; of payment-method: verify, fail-verification.';
  static override args = {
    kind: Args.string({required: true, options: SIMULATED_KINDS, description: 'kind of record'}),
    id: Args.string({required: true, description: 'id of the record (UUID)'}),
    outcome: Args.string({required: true, description: 'outcome to simulate (see below)'}),
  };
  static override examples = [
    '<%= config.bin %> sandbox simulate payout 019b76da-a800-7000-8235-80d251bba0e9 settle',
    '<%= config.bin %> sandbox simulate payin 019b76da-a800-7000-8235-80d251bba0e9 return --code R10',
    '<%= config.bin %> sandbox simulate payout 019b76da-a800-7000-8235-80d251bba0e9 return --after 12d --code R02',
    '<%= config.bin %> sandbox simulate subaccount 019b76da-a800-7000-8235-80d251bba0e9 credit --amount-minor 5000',
    '<%= config.bin %> sandbox simulate payment-method 019b76da-a800-7000-8235-80d251bba0e9 verify',
  ];
  static override flags = {
    'amount-minor': count(1, 999_999_999_999_999)({description: 'credit: amount in minor units'}),
    after: duration({description: 'return: let the money come back this long after now, for example 12d'}),
    code: Flags.string({helpValue: 'R03', description: 'fail, return: reason code of the bank'}),
  };

  async run() {
    const {args, flags} = await this.parse(SandboxSimulate);
    const local = this.openLocal();
    const {kind, id, outcome} = args;
    const outcomes = Object.keys(outcomesOf(kind) ?? {});
    const meant = nearest(outcome.toLowerCase(), outcomes) ?? outcomes[0];
    if (!outcomes.includes(outcome))
      throw new RemitError(
        'USAGE',
        `"${outcome}" is not an outcome of a ${kind}; use one of ${outcomes.join(', ')}`,
        {
          hint: sandboxCommand(local, 'simulate', ...[kind, id, ...(meant === undefined ? [] : [meant])]),
        },
      );
    const {code, after, 'amount-minor': amount} = flags;
    if (outcome === 'credit' && amount === undefined)
      throw new RemitError('USAGE', 'the amount is missing: a credit needs --amount-minor', {
        hint: sandboxCommand(local, 'simulate', kind, id, 'credit', '--amount-minor', '5000'),
      });
    const asked = {
      ...{kind, id, outcome},
      ...(code === undefined ? {} : {code}),
      ...(amount === undefined ? {} : {amount_in_minor_units: amount}),
      ...(after === undefined ? {} : {after_ms: after}),
    };
    const became = await callControl<Simulated>(local, 'POST', '/sandbox/simulate', asked);
    const why = became.code === undefined ? '' : ` (${became.code})`;
    const late = outcome === 'return' && hasSucceeded(LIFECYCLES.payout, became.status);
    const {due_at: due, balance_in_minor_units: balance, currency_code: currency} = became;
    const holds = balance === undefined ? '' : ` and holds ${majorOf(balance, currency)}`;
    const now =
      due !== undefined
        ? `stays settled; the bank returns the money at ${due}${why}, by the clock of the sandbox.`
        : late
          ? `stays settled; the bank returned the money${why}.${CAME_BACK}`
          : `is now ${became.status}${why}${holds}.`;
    local.out.text(`The ${kind} ${became.id} ${now}`);
    return became;
  }
}
