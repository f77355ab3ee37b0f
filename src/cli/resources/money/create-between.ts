import {asksForApproval} from '../../../client/requests/approval.ts';
import {plainValue} from '../../../output/records/view.ts';
import type {JsonFields} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import {guardedAmountText} from '../../guard/amount-text.ts';
import type {Amount} from '../../input/amounts.ts';
import type {Typed} from '../../line/command-line.ts';
import type {WaitFlagValues} from '../../wait/flags.ts';
import {checkCreated} from '../../write/created-record.ts';
import {sendOnce} from '../../write/send-once.ts';
import {concludeWrite} from './conclude-write.ts';
import type {BetweenKind} from './money-kind.ts';
import {requireIds} from '../names.ts';
import {asRecord} from '../../../client/answers/record.ts';

/** Creates a move or an account transfer. */
export async function createBetween(
  context: Context,
  kind: BetweenKind,
  request: {
    body: JsonFields;
    amount: Amount;
    dryRun: boolean | undefined;
    accepts: readonly string[];
    wait?: WaitFlagValues;
    typed: Typed;
  },
): Promise<CommandOutcome> {
  const {body, amount, dryRun, accepts, wait = {}, typed} = request;
  const {resource, topic, noun, sourceField, destinationField, accountNoun, partyLabel} = kind;
  requireIds(context, body, {[sourceField]: accountNoun, [destinationField]: accountNoun});
  const [source, destination] = [plainValue(body[sourceField]), plainValue(body[destinationField])];
  const {rail} = body;
  const parties = `from ${kind.sourceLabel}${source} to ${destination}`;
  const shownBy = (id: string) => [topic, 'get', id];
  const sent = await sendOnce(context, {
    ...{operation: `${resource}.create`, body, dryRun, noun, shownBy, reportsWarning: true},
    facts: {
      operation: `create ${noun === 'move' ? 'a' : 'an'} ${noun}`,
      party: [partyLabel, destination],
      ...{amountMinor: amount.minor, currency: amount.currency},
      ...('rail' in body ? {rail: {value: typeof rail === 'string' ? rail : undefined}} : {}),
      details: () => kind.createDetails(context, asRecord(body)),
    },
    announce: `Creating ${noun === 'move' ? 'a' : 'an'} ${noun} of ${guardedAmountText(amount.minor, amount.currency)} ${parties}`,
    checkedBy: kind.listWords(source),
    payment: {
      ...{kind: noun, party: destination, source, parties, body, accepts, typed},
      ...{amountMinor: amount.minor, currency: amount.currency ?? null},
    },
  });
  if (sent.dryRun) return done(sent.dryRun);
  const {data: record} = sent.result;
  checkCreated(context, {noun, resource, asked: body, record, shownBy});
  return concludeWrite(context, kind, {
    ...{result: sent.result, id: plainValue(record.id), wait},
    ...{meant: asksForApproval(body) ? 'approved' : 'created', isNew: true},
  });
}
