import type {Overrides} from '../../client/routes.ts';
import {RemitError} from '../../errors.ts';
import type {Journal} from './journal.ts';
import type {Mode} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';

/** To whom a batch belongs once it was run: the same rows anywhere else would be other payments. */
interface Binding {
  mode: Mode;
  baseUrl: string;
  /** Of a test key only; a live key may be rotated. */
  keyFingerprint: string | null;
  metadataField: string;
}

export interface BoundTo {
  mode: Mode;
  baseUrl: string;
  keyFingerprint: string;
  overrides: Overrides;
  /** The command that runs the same file as a batch of its own. */
  runAgain?: string;
}

const WORDS: Readonly<Record<keyof Binding, string>> = {
  mode: 'mode',
  baseUrl: 'base URL',
  keyFingerprint: 'test key',
  metadataField: 'name of the metadata field',
};

const BEGUN = 'use the profile with which the batch was begun (remit whoami shows the present one)';
const HINTS: Readonly<Record<Exclude<keyof Binding, 'baseUrl'>, string>> = {
  mode: BEGUN,
  keyFingerprint: `${BEGUN}; if its test key is gone for good, run the file with a --state-dir of its own`,
  metadataField: BEGUN,
};

/**
 * Refuses to go on with a batch under another mode, address or test key than those it was begun with.
 * @throws RemitError GUARD_BINDING
 */
export function checkBinding(journal: Journal, plan: Plan, to: BoundTo): void {
  const bound = journal.meta<Binding>('binding');
  if (bound === undefined) return;
  const now = bindingOf(plan, to);
  const other = (Object.keys(WORDS) as (keyof Binding)[]).find((name) => bound[name] !== now[name]); // keys of a literal
  if (other === undefined) return;
  const shown =
    other === 'keyFingerprint'
      ? ''
      : `: it was begun with ${String(bound[other])}, now it is ${String(now[other])}`;
  // A key that was never of use binds nobody: it was mistyped, or replaced before the first success.
  if (other === 'keyFingerprint' && bound.metadataField === now.metadataField && !journal.everTaken()) return;
  throw new RemitError('GUARD_BINDING', `batch ${plan.batchId} is bound to another ${WORDS[other]}${shown}`, {
    hint: `nothing was sent; ${other === 'baseUrl' ? addressHint(journal, bound.baseUrl, to) : HINTS[other]}`,
    details: {batch_id: plan.batchId, bound_to: {mode: bound.mode, base_url: bound.baseUrl}},
  });
}

/** A wrong address is corrected in the profile; what is known of the rows at the former one decides what may follow. */
function addressHint(journal: Journal, former: string, {runAgain}: BoundTo): string {
  const again = runAgain ?? 'run the file under another --batch-id';
  if (!journal.everTaken()) return `no row was taken at ${former}; if that address was wrong: ${again}`;
  if (!journal.everAnswered())
    return `rows were sent to ${former}, but nothing there answered as the service does; if it is another service: ${again}`;
  return `it has records at ${former}, so ${BEGUN}; the same file run at another address would be paid there as well`;
}

/** Binds a batch before its first request, and checks it from then on; to another key only while none was of use. */
export function bindBatch(journal: Journal, plan: Plan, to: BoundTo): void {
  checkBinding(journal, plan, to);
  const bound = journal.meta<Binding>('binding');
  const now = bindingOf(plan, to);
  if (bound?.keyFingerprint !== now.keyFingerprint) journal.setMeta('binding', now);
}

const bindingOf = (plan: Plan, {mode, baseUrl, keyFingerprint, overrides}: BoundTo): Binding => ({
  mode,
  baseUrl,
  keyFingerprint: mode === 'test' ? keyFingerprint : null,
  metadataField: overrides.fields?.[`${plan.kind}s.create.metadata`] ?? 'metadata',
});
