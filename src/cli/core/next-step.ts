import {sep} from 'node:path';
import type {RemitError} from '../../errors.ts';
import {isList, isObject, type JsonFields, stringOf} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';
import {findOperation} from '../../service/routes.ts';
import {shellWord} from '../../shell-word.ts';
import {PROBED} from './probed.ts';
import {networkFix, type KnownService} from './network-fix.ts';
import type {Commands} from '../line/command-line.ts';

/** The command that failed. */
export interface Failed {
  commandId: string;
  flags: JsonFields;
  args: JsonFields;
}

/**
 * This error with a command to type next, if it has none and one is known. Depends on error codes, never on
 * texts of the service.
 */
export function withNextStep(error: RemitError, failed: Failed, place: KnownService): RemitError {
  const own = error.hintWith(place.commands);
  const fix = networkFix(error, place);
  const known =
    fix === undefined
      ? (own ?? nextStep(error, failed, place))
      : own === undefined
        ? fix
        : `${fix}; then ${own}`;
  const {assumption} = error.details ?? {};
  const hint =
    assumption === undefined
      ? known
      : withDoctor(
          known ?? routeFix(assumption, place.commands),
          place.commands,
          probeFor(assumption, place),
        );
  return hint === error.openHint ? error : error.withHint(hint);
}

/** This error with `doctor` after its own hint, if it names an assumption. */
export function withDoctorToo(error: RemitError, place: KnownService): RemitError {
  const {assumption} = error.details ?? {};
  const own = error.hintWith(place.commands);
  if (assumption === undefined || own?.includes(place.commands.read('doctor'))) return error;
  return error.withHint(withDoctor(own, place.commands, probeFor(assumption, place)));
}

/** Errors of a file that another folder would not have. */
const OF_FOLDER: ReadonlySet<unknown> = new Set(['EROFS', 'ENOTDIR']);

/** This error with the variable that names the folder of its file; unchanged for a file elsewhere. */
export function withFolder(error: RemitError, folders: {configDir: string; stateDir: string}): RemitError {
  const {errno, file} = error.details ?? {};
  if (typeof file !== 'string' || !OF_FOLDER.has(errno)) return error;
  const isIn = (folder: string) => file === folder || file.startsWith(folder + sep);
  if (isIn(folders.configDir)) return error.withHint('set REMIT_CONFIG_DIR to a writable folder');
  return isIn(folders.stateDir) ? error.withHint('set REMIT_STATE_DIR to a writable folder') : error;
}

/** The setting of a route that the service does not have; its path is left to fill in. */
function routeFix(assumption: unknown, {profile}: Commands): string | undefined {
  const key = isObject(assumption) ? assumption['key'] : undefined;
  if (typeof key !== 'string' || !key.startsWith('routes.')) return undefined;
  const id = key.slice('routes.'.length);
  const method = findOperation(id)?.method ?? 'POST';
  return profile === undefined
    ? `put {"routes": {"${id}": "${method} /…"}} into the service file (REMIT_SERVICE_FILE=FILE)`
    : `remit profiles set ${shellWord(profile)} --route ${id}="${method} /…"`;
}

/** The flag with which doctor tries a write whose route may be wrong. It is refused with a live key. */
function probeFor(assumption: unknown, {isTest}: KnownService): string[] {
  const key = isObject(assumption) ? assumption['key'] : undefined;
  return isTest && PROBED.some((id) => key === `routes.${id}` || key === `bodies.${id}`)
    ? ['--probe-writes']
    : [];
}

/** The message names an assumption and the key to set; `doctor` finds out whether that is the cause. */
export function withDoctor(
  known: string | undefined,
  commands: Commands,
  probe: readonly string[] = [],
): string {
  const doctor = commands.read('doctor', ...probe);
  return known === undefined ? doctor : `${known}; to find what differs at the service: ${doctor}`;
}

function nextStep(error: RemitError, failed: Failed, {commands}: KnownService): string | undefined {
  const {code, details, httpStatus} = error;
  const mayLackRecord =
    details?.['error_code'] === 'NOT_FOUND' &&
    failed.commandId.endsWith(':create') &&
    (CREATES[failed.commandId] ?? LISTS[failed.commandId]);
  if (details?.['assumption'] !== undefined && !mayLackRecord) return undefined; // the list is at another address, too
  if (httpStatus === 401 || httpStatus === 403) return commands.read('whoami');
  if (code === 'LOCAL_VALIDATION')
    return nearestValue(error, failed) ?? listOfFields(error, failed, commands);
  if (httpStatus === 422 && CREATES[failed.commandId] !== undefined) return methodsOf(failed, commands);
  if (httpStatus === 400) return listOfFields(error, failed, commands);
  return httpStatus === 404 ? listOfMissing(error, failed, commands) : undefined;
}

/** The value that was probably meant, for the first refused field with a list of values. */
function nearestValue({details}: RemitError, {flags}: Failed): string | undefined {
  const issues = details?.['fields'];
  for (const {field, allowed} of (isList(issues) ? issues : []).filter(isObject)) {
    const flag = stringOf(field).replaceAll('_', '-');
    const typed = flags[flag];
    if (typeof typed !== 'string' || !isList(allowed)) continue;
    const near = nearest(typed.toLowerCase(), allowed.map(String));
    if (near !== undefined) return `did you mean --${flag} ${near}?`;
  }
  return undefined;
}

/** The list that contains the ids of the first refused field. */
function listOfFields(error: RemitError, failed: Failed, commands: Commands): string | undefined {
  const issues = error.details?.['fields'];
  if (!isList(issues)) return undefined;
  for (const issue of issues) {
    const name = isObject(issue) ? issue['field'] : undefined;
    const [field = ''] = typeof name === 'string' ? name.split('.') : [];
    if (METHOD_FIELDS.has(field)) return methodsOf(failed, commands);
    const words = Object.hasOwn(ID_LISTS, field) ? ID_LISTS[field] : undefined;
    if (words !== undefined) return commands.read(...words);
    if (PATH_IDS.has(field)) return listOfMissing(error, failed, commands);
  }
  return undefined;
}

/** The list that would contain a record that was not found. */
function listOfMissing({code}: RemitError, failed: Failed, commands: Commands): string | undefined {
  const {commandId} = failed;
  if (commandId.startsWith('payment-methods:') || code === 'PAYMENT_METHOD_NOT_FOUND')
    return /:(add|list)$/.test(commandId) ? partiesOf(failed, commands) : methodsOf(failed, commands);
  if (CREATES[commandId] !== undefined && failed.flags['payment-method'] !== undefined)
    return methodsOf(failed, commands); // payouts have one code for both; without the payee, this list is not found
  const named = CREATES[commandId] ?? LISTS[commandId];
  if (named !== undefined) return commands.read(...named);
  const topic = LISTED.exec(commandId)?.[1];
  return topic === undefined ? undefined : commands.read(...topic.split(':'), 'list');
}

/** `remit payment-methods list --payee ID`, for the party that the command names. */
function methodsOf({flags}: Failed, commands: Commands): string | undefined {
  const party = ['payee', 'payer'].find((name) => typeof flags[name] === 'string');
  if (party === undefined) return undefined;
  return commands.read('payment-methods', 'list', `--${party}`, stringOf(flags[party]));
}

const partiesOf = ({flags}: Failed, commands: Commands): string =>
  commands.read(flags['payer'] === undefined ? 'payees' : 'payers', 'list');

/** Topics whose `list` needs no other id. */
const LISTED =
  /^(payees|payers|payins|payouts|moves|subaccounts|transfers|webhooks:endpoints|sandbox:deliveries|sandbox:checkpoint)(?=:)/;

/** Fields of a create that name a record of another topic. */
const CREATES: Readonly<Record<string, readonly string[]>> = {
  'payouts:create': ['payees', 'list'],
  'payins:create': ['payers', 'list'],
};
const ACCOUNTS = ['treasury', 'accounts', 'list'];
const LISTS: Readonly<Record<string, readonly string[]>> = {
  'moves:create': ['subaccounts', 'list'],
  'transfers:create': ACCOUNTS,
  'treasury:balance': ACCOUNTS,
  'treasury:transactions': ACCOUNTS,
  'treasury:label': ACCOUNTS,
  'treasury:simulate-credit': ACCOUNTS,
};

/** Where the ids of a field are listed. */
const ID_LISTS: Readonly<Record<string, readonly string[]>> = {
  payee_id: ['payees', 'list'],
  payer_id: ['payers', 'list'],
  subaccount_id: ['subaccounts', 'list'],
  source_subaccount_id: ['subaccounts', 'list'],
  destination_subaccount_id: ['subaccounts', 'list'],
  source_account_id: ACCOUNTS,
  destination_account_id: ACCOUNTS,
  event_types: ['webhooks', 'event-types'],
};
const METHOD_FIELDS: ReadonlySet<string> = new Set([
  'payment_method_id',
  'override_default_payment_method_id',
]);
/** The names of ids in paths. */
const PATH_IDS: ReadonlySet<string> = new Set(['id', 'move_id', 'account_id', 'account_transfer_id']);
