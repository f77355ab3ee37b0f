import type {Overrides} from '../../client/routes.ts';
import {type Hint, RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import type {Binding} from './facts.ts';
import type {Journal} from './journal.ts';
import type {Mode} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';

export interface BoundTo {
  mode: Mode;
  baseUrl: string;
  keyFingerprint: string;
  overrides: Overrides;
  /** The command that runs the same file as a separate batch. */
  runAgain?: string;
  /** The typed command, with another profile. */
  withProfile?: (profile: string) => string;
  profileInForce?: string | undefined;
}

const WORDS: Readonly<Record<keyof Binding, string>> = {
  mode: 'mode',
  baseUrl: 'base URL',
  keyFingerprint: 'test key',
  metadataField: 'name of the metadata field',
};

/**
 * Refuses to continue a batch in another mode, or with another address or test key, than it was started with.
 * @throws RemitError GUARD_BINDING
 */
export function checkBinding(journal: Journal, plan: Plan, to: BoundTo): void {
  const bound = journal.fact('binding');
  if (bound === undefined) return;
  const now = bindingOf(plan, to);
  const other = keysOf(WORDS).find((name) => bound[name] !== now[name]);
  if (other === undefined) return;
  const shown =
    other === 'keyFingerprint'
      ? ''
      : `: it was started with ${String(bound[other])}, and this is ${String(now[other])}`;
  // A key that never worked binds nothing: it was mistyped, or replaced before the first success.
  if (other === 'keyFingerprint' && bound.metadataField === now.metadataField && !journal.everTaken()) return;
  throw new RemitError(
    'GUARD_BINDING',
    `batch ${plan.batchId} is bound to another ${WORDS[other]}${shown}; nothing was sent`,
    {
      hint: other === 'baseUrl' ? addressHint(journal, bound.baseUrl, to) : wayBack(journal, to, other),
      details: {batch_id: plan.batchId, bound_to: {mode: bound.mode, base_url: bound.baseUrl}},
    },
  );
}

/** A wrong address is corrected in the profile. What the hint allows depends on the rows at the former address. */
function addressHint(journal: Journal, former: string, to: BoundTo): Hint {
  const again = to.runAgain ?? 'run the file under another --batch-id';
  if (!journal.everTaken()) return `no row was accepted at ${former}; if that address was wrong: ${again}`;
  if (!journal.everAnswered())
    return `rows were sent to ${former}, but nothing there answered as the service does; if it is another service: ${again}`;
  const hint = wayBack(journal, to, 'baseUrl');
  const records = `it has records at ${former}, so another address would pay the same file a second time`;
  return (commands) => `${records}; ${typeof hint === 'string' ? hint : hint(commands)}`;
}

/** The command with the profile of the last run. */
function wayBack(journal: Journal, {withProfile, profileInForce}: BoundTo, other: keyof Binding): Hint {
  const former = journal.fact('typedProfile') ?? undefined;
  if (former !== undefined && former !== profileInForce && withProfile !== undefined)
    return `use the profile that the batch was last run with: ${withProfile(former)}`;
  if (other === 'keyFingerprint')
    return 'use the test key that the batch was started with; if it was revoked, run the file with another --state-dir';
  return (commands) =>
    `use the key and base URL that the batch was started with; those in use: ${commands.read('whoami')}`;
}

/**
 * Binds a batch before its first request, and checks the binding from then on. The key may be replaced only while
 * none has worked.
 */
export function bindBatch(journal: Journal, plan: Plan, to: BoundTo): void {
  checkBinding(journal, plan, to);
  const bound = journal.fact('binding');
  const now = bindingOf(plan, to);
  if (bound?.keyFingerprint !== now.keyFingerprint) journal.setFact('binding', now);
}

const bindingOf = (plan: Plan, {mode, baseUrl, keyFingerprint, overrides}: BoundTo): Binding => ({
  mode,
  baseUrl,
  keyFingerprint: mode === 'test' ? keyFingerprint : null,
  metadataField: overrides.fields?.[`${plan.kind}s.create.metadata`] ?? 'metadata',
});
