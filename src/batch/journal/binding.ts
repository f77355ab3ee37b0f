import {CANONICAL, type Codec} from '../../client/requests/codec.ts';
import {type Hint, RemitError} from '../../errors.ts';
import {keysOf, must} from '../../narrow.ts';
import {isEmptyService} from '../../service/service-file.ts';
import type {Binding, RequestForm} from './facts.ts';
import type {Journal} from './journal.ts';
import type {Mode} from '../../contract/mode.ts';
import {KINDS} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {RunPath} from '../model/run-path.ts';
import {headersForm, requestForm, routeKey} from './service-form.ts';

export interface BoundTo {
  mode: Mode;
  baseUrl: string;
  keyFingerprint: string;
  /** Of a service that differs from the contract. */
  codec?: Codec | undefined;
  /** The command that runs the same file as a separate batch. */
  runAgain?: string;
  /** The typed command as a separate batch, if it names a file. */
  fileAsAnother?: string | undefined;
  /** The typed command, with a profile of this mode. */
  withProfile?: (profile: string, mode: Mode) => string;
  profileInForce?: string | undefined;
  /** How far the command goes. */
  path?: RunPath | undefined;
}

/** What is a single value; `request` and `headers` are compared key by key. */
type Single = Exclude<keyof Binding, 'request' | 'headers'>;

const WORDS: Readonly<Record<Single, string>> = {
  mode: 'mode',
  baseUrl: 'base URL',
  keyFingerprint: 'test key',
  metadataField: 'name of the metadata field',
  keyRules: 'form of idempotency keys (keys in the service file)',
  referenceKey: 'metadata key of the reference (metadata.reference in the service file)',
};

/**
 * Refuses to continue a batch in another mode, or with another address or test key, than it was started with.
 * @throws RemitError GUARD_BINDING
 */
export function checkBinding(journal: Journal, plan: Plan, to: BoundTo): void {
  const bound = journal.fact('binding');
  if (bound === undefined) return;
  const now = bindingOf(plan, to);
  const isIgnored = (name: Single) => name === 'metadataField' && sendsNoMetadata(journal, to);
  const other = keysOf(WORDS).find((name) => bound[name] !== now[name] && !isIgnored(name));
  if (other === undefined) return checkRequest(journal, plan, to, bound);
  const shown =
    other === 'keyFingerprint'
      ? ''
      : `: it was started with ${bound[other] ?? 'the default'}, now it is ${now[other] ?? 'the default'}`;
  // Until the service may have taken a row these bind nothing: the key was mistyped, or the service file is being corrected.
  if (other !== 'mode' && other !== 'baseUrl' && !journal.everTaken()) return;
  throw new RemitError(
    'GUARD_BINDING',
    `batch ${plan.batchId} is bound to another ${WORDS[other]}${shown}; nothing was sent`,
    {
      hint:
        other === 'baseUrl'
          ? addressHint(plan, journal, bound.baseUrl, to)
          : wayBack(plan, journal, to, other),
      details: {batch_id: plan.batchId, bound_to: {mode: bound.mode, base_url: bound.baseUrl}},
    },
  );
}

/** A cancel replays only rows whose record it has to find; for the others it needs their ids. */
const sendsNoMetadata = (journal: Journal, {path}: Pick<BoundTo, 'path'>): boolean =>
  path === 'cancel' && journal.rows.replayedByCancel(0, 1).length === 0;

/** Whether a batch was started in this mode, at this address, and with this key if it is a test key. */
export function isBoundTo(journal: Journal, to: BoundTo): boolean {
  const bound = journal.fact('binding');
  const now = {mode: to.mode, baseUrl: to.baseUrl, keyFingerprint: keyBound(to)};
  return bound !== undefined && keysOf(now).every((name) => bound[name] === now[name]);
}

/** Live keys may be replaced. */
const keyBound = ({mode, keyFingerprint}: BoundTo): string | null =>
  mode === 'test' ? keyFingerprint : null;

/**
 * Refuses to send the rest of a batch in another form: its rows are replayed with the bytes that were sent before. A
 * route may be corrected until the service has answered. What has nothing left to send is bound to nothing.
 */
function checkRequest(journal: Journal, plan: Plan, to: BoundTo, bound: Binding): void {
  const {service} = to.codec ?? CANONICAL;
  const request = differences(bound.request, requestForm(plan.kind, service));
  const headers = differences(bound.headers, headersForm(service));
  if (request.length + headers.length === 0 || !journal.everTaken() || !isUnfinished(journal)) return;
  const isRoute = headers.length === 0 && request.every(({name}) => name === routeKey(plan.kind));
  if (isRoute && !journal.everAnswered()) return;
  const [setting] = request;
  const [header] = headers;
  throw setting !== undefined
    ? boundToSetting(plan, to, setting)
    : boundToHeader(plan, to, must(header, 'header that differs'));
}

interface Difference {
  name: string;
  was: string | null;
  is: string | null;
}

/** How a form differs from the one that the batch is bound to. A journal of an earlier version may have none. */
const differences = (bound: RequestForm | undefined, now: RequestForm): Difference[] =>
  bound === undefined
    ? []
    : [...new Set([...Object.keys(bound), ...Object.keys(now)])]
        .map((name) => ({name, was: bound[name] ?? null, is: now[name] ?? null}))
        .filter(({was, is}) => was !== is);

function boundToSetting(plan: Plan, to: BoundTo, {name, was, is}: Difference): RemitError {
  return new RemitError(
    'GUARD_BINDING',
    `batch ${plan.batchId} is bound to ${name} of the service file, which was ${was ?? 'not set'} when its rows were sent and is ${is ?? 'not set'} now; nothing was sent`,
    {
      hint: setBack(plan, to, name, 'in another form'),
      details: {batch_id: plan.batchId, changed: name, was, is},
    },
  );
}

/** A value of a header may be a secret, so it is not shown. */
function boundToHeader(plan: Plan, to: BoundTo, {name, was, is}: Difference): RemitError {
  const changed = `headers.send.${name}`;
  const since = was === null ? 'been added' : is === null ? 'been removed' : 'changed';
  return new RemitError(
    'GUARD_BINDING',
    `batch ${plan.batchId} is bound to ${changed} of the service file, which has ${since} since its rows were sent; nothing was sent`,
    {
      hint: setBack(plan, to, changed, 'with another header'),
      details: {batch_id: plan.batchId, changed},
    },
  );
}

const setBack =
  ({kind, batchId}: Plan, {runAgain}: BoundTo, name: string, how: string): Hint =>
  (commands) =>
    `the rows sent before would be sent again ${how}; set ${name} back. If it was wrong, set it back, cancel the batch with ${commands.write(KINDS[kind].topic, 'batch', 'cancel', batchId)}, correct it, and run the file as another batch${runAgain === undefined ? '' : `: ${runAgain}`}`;

/** Settings of the service file with which rows of a batch are sent again. */
export interface Unrecorded {
  /** `headers.send`; for an older batch also the routes and fields of creates. */
  settings: string;
  /** The settings that are in force now, by name: `headers.send.x-tenant`. A value may be a secret. */
  now: readonly string[];
}

/**
 * The settings of the service file that the journal of an earlier version did not record when rows were sent, so that
 * `checkBinding` cannot compare them. Undefined without a service file, and if nothing can be sent again.
 */
export function unrecordedSettings(journal: Journal, plan: Plan, codec: Codec): Unrecorded | undefined {
  const {service} = codec;
  const bound = journal.fact('binding');
  if (bound?.headers !== undefined || isEmptyService(service)) return undefined;
  if (bound === undefined || !journal.everTaken() || !isUnfinished(journal)) return undefined;
  const headers = Object.keys(headersForm(service)).map((name) => `headers.send.${name}`);
  if (bound.request !== undefined) return {settings: 'headers.send', now: headers};
  const request = Object.keys(requestForm(plan.kind, service));
  return {settings: 'routes, bodies, fields, units and headers.send', now: [...request, ...headers]};
}

/** Whether any request of the batch may still be sent. */
function isUnfinished(journal: Journal): boolean {
  const {not_sent: unsent, staged, unapproved, in_doubt: doubts} = journal.tally();
  return unsent.count + staged.count + unapproved.count + doubts.count > 0;
}

/** A wrong address is corrected in the profile. What the hint allows depends on the rows at the former address. */
function addressHint(plan: Plan, journal: Journal, former: string, to: BoundTo): Hint {
  const again = to.runAgain ?? 'run the file under another --batch-id';
  const back = wayBack(plan, journal, to, 'baseUrl');
  const notElsewhere =
    (why: string): Hint =>
    (commands) =>
      `${why}, so another address would pay the same file a second time; ${typeof back === 'string' ? back : back(commands)}`;
  const paid = journal.tally().already_paid.count;
  if (paid > 0)
    return notElsewhere(`another batch has paid ${paid === 1 ? 'a row' : `${paid} rows`} of it at ${former}`);
  if (!journal.everTaken()) return `no row was accepted at ${former}; if that address was wrong: ${again}`;
  if (!journal.everAnswered())
    return `rows were sent to ${former}, but nothing there answered as the service does; if it is another service: ${again}`;
  return notElsewhere(`it has records at ${former}`);
}

/** The command with the profile of the last run. */
function wayBack(plan: Plan, journal: Journal, to: BoundTo, other: Single): Hint {
  const {withProfile, profileInForce} = to;
  const former = journal.fact('typedProfile') ?? undefined;
  // Payments in one mode do not count in the other.
  if (other === 'mode' && to.fileAsAnother !== undefined)
    return `to pay this file in ${to.mode} mode, give it a batch id of its own: ${to.fileAsAnother}`;
  if (former !== undefined && former !== profileInForce && withProfile !== undefined)
    return `use the profile that the batch was last run with: ${withProfile(former, journal.fact('binding')?.mode ?? to.mode)}`;
  if (other === 'metadataField') return metadataHint(plan, journal, profileInForce);
  if (other !== 'baseUrl' && other !== 'mode' && other !== 'keyFingerprint')
    return (commands) =>
      `the same row would be sent with another key or body; use the service file that the batch was started with; the one in use: ${commands.read('whoami')}`;
  if (other === 'keyFingerprint')
    return 'use the test key that the batch was started with; if it was revoked, run the file with another --state-dir';
  return (commands) =>
    `use the key and base URL that the batch was started with; those in use: ${commands.read('whoami')}`;
}

/** How to continue under the name with which the rows were sent. */
function metadataHint({kind, batchId}: Plan, journal: Journal, profile: string | undefined): Hint {
  const {topic} = KINDS[kind];
  const field = `${topic}.create.metadata`;
  const name = journal.fact('binding')?.metadataField ?? 'metadata';
  const isCancelable = sendsNoMetadata(journal, {path: 'cancel'});
  return (commands) => {
    const back =
      profile === undefined
        ? `set fields.${field} back to ${name} in the service file`
        : commands.read('profiles', 'set', profile, '--field', `${field}=${name}`);
    const cancel = !isCancelable
      ? ''
      : `; or cancel it, which also works with the new name: ${commands.write(topic, 'batch', 'cancel', batchId)}`;
    return `its rows were sent with another body; to continue it: ${back}${cancel}`;
  };
}

/**
 * Binds a batch before its first request, and checks the binding from then on. Keys and the service file may be replaced
 * only while the service has taken no row.
 */
export function bindBatch(journal: Journal, plan: Plan, to: BoundTo): void {
  checkBinding(journal, plan, to);
  const bound = journal.fact('binding');
  const now = bindingOf(plan, to);
  const isKept = bound !== undefined && to.path === 'cancel'; // nothing is sent in the present form
  if (!isKept && JSON.stringify(bound) !== JSON.stringify(now)) journal.setFact('binding', now);
}

function bindingOf(plan: Plan, to: BoundTo): Binding {
  const {mode, baseUrl, codec = CANONICAL} = to;
  const {fields = {}, keys = {}, metadata} = codec.service;
  const {header, format, maxLength} = keys;
  const resource = `${plan.kind}s`;
  const named = fields[`${resource}.create`]?.['metadata'] ?? fields[resource]?.['metadata'];
  const rules = [header?.toLowerCase() ?? KEY_HEADER, format ?? 'any', maxLength ?? 'any length'];
  const isUsual = rules.join() === USUAL_RULES.join();
  return {
    ...{mode, baseUrl, keyFingerprint: keyBound(to)},
    metadataField: named ?? 'metadata',
    ...(isUsual ? {} : {keyRules: rules.join(', ')}),
    ...(metadata?.reference === undefined ? {} : {referenceKey: metadata.reference}),
    request: requestForm(plan.kind, codec.service),
    headers: headersForm(codec.service),
  };
}

const KEY_HEADER = 'idempotency-key';
const USUAL_RULES = [KEY_HEADER, 'any', 'any length'];
