import type {ServiceFile} from '../../../service/service-file.ts';
import {isGood, isRefused} from '../survey/survey.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {create, type Probe} from './steps.ts';
import {type ProbedKind, type Money} from './kinds.ts';

const ROW = 45;

/** Lengths that services commonly allow. The first accepted one is safe, and only that one creates a record. */
const LENGTHS = [255, 128, 64, 36] as const;

/** A new key of a length that is not a UUID. The shortest has the bits of a UUID in base64url. */
export function keyOf(length: number, uuid: string): string {
  const digits = uuid.replaceAll('-', '');
  if (length < 32) return Buffer.from(digits, 'hex').toString('base64url').slice(0, length);
  return length < 36 ? digits : uuid.replaceAll('-', '.').padEnd(length, 'x');
}

/** Finds out which keys the service accepts, given a create that it accepted with a UUID as its key. */
export async function checkFormat(probe: Probe, kind: ProbedKind, money: Money): Promise<void> {
  const {survey, context} = probe;
  const {header, format, maxLength} = survey.draft.file.keys ?? {};
  if (format !== undefined || maxLength !== undefined)
    return survey.holds('keys.format', 'keys are accepted as set in the service file', {row: ROW});
  const file: ServiceFile = {...survey.draft.file, keys: header === undefined ? {} : {header}};
  let refused = 0;
  for (const length of LENGTHS) {
    const {reply, id} = await create(probe, kind, {money, key: keyOf(length, context.runtime.uuid()), file});
    if (isGood(reply) && id !== undefined) return noteLength(probe, length, refused);
    if (!isRefused(reply))
      return survey.unknown('keys.format', `a key of ${length} characters returned ${reply.status}`, {
        row: ROW,
      });
    refused = length;
  }
  const write: ServiceFile = {keys: {format: 'uuid'}};
  const evidence = 'a UUID is accepted as a key, other keys are refused';
  survey.differs('keys.format', evidence, {row: ROW, write, sure: true});
}

function noteLength({survey}: Probe, length: number, refused: number): void {
  if (refused === 0)
    return survey.holds('keys.format', `a key of ${length} characters that is not a UUID is accepted`, {
      row: ROW,
    });
  const evidence = `a key of ${length} characters is accepted, one of ${refused} is refused`;
  survey.differs('keys.maxLength', evidence, {row: ROW, write: {keys: {maxLength: length}}, sure: true});
}

/** Headers that services use for the key. */
const HEADERS = ['X-Idempotency-Key', 'X-Request-Key', 'Idempotency-Token', 'X-Client-Token'] as const;

/** Headers for a key that a refusal names. */
const headersIn = (message = ''): string[] =>
  (message.match(/\b[a-z][a-z0-9]*(-[a-z0-9]+)+\b/gi) ?? []).filter(
    (name) => /key|token|idempot/i.test(name) && name.toLowerCase() !== 'idempotency-key',
  );

export interface HeaderFound {
  readonly header: string;
  readonly write: ServiceFile;
  readonly reply: ServiceReply;
  /** The record that was created with the header; undefined if the create was refused for another reason. */
  readonly made: {readonly key: string; readonly id: string} | undefined;
}

/**
 * Looks for the header in which a repeated key gives the same record. A header that a refusal names is also right if the
 * service then refuses something else.
 */
export async function findHeader(
  probe: Probe,
  kind: ProbedKind,
  money: Money,
  message?: string,
): Promise<HeaderFound | undefined> {
  const {survey, context} = probe;
  const named = headersIn(message);
  for (const header of new Set([...named, ...HEADERS])) {
    const write: ServiceFile = {keys: {header}};
    if (survey.draft.problemWith(write) !== undefined) continue;
    const file = joined(survey.draft.file, write);
    const key = context.runtime.uuid();
    const {reply, id} = await create(probe, kind, {money, key, file});
    if (id === undefined) {
      const {assumption} = reply;
      const isOther = isRefused(reply) && assumption !== undefined && !assumption.key.startsWith('keys');
      if (named.includes(header) && isOther) return {header, write, reply, made: undefined};
      continue;
    }
    const again = await create(probe, kind, {money, key, file});
    if (again.id === id) return {header, write, reply, made: {key, id}};
  }
  return undefined;
}

/** Sends the same request with the same key again, which must return the same record. */
export async function checkReplay(
  probe: Probe,
  kind: ProbedKind,
  made: {money: Money; key: string; id: string},
): Promise<void> {
  const {survey} = probe;
  const check = kind.noun === 'payout' ? 'keys' : `keys (${kind.topic})`;
  const {reply, id} = await create(probe, kind, made);
  const evidence = `repeating the request with the same key returned ${reply.status}`;
  if (isGood(reply) && id === made.id) {
    // Another body would have to ask for an approval, and a probe never does.
    const scope = 'whether another body with the key is refused was not tried';
    return survey.holds(check, `${evidence} and the same ${kind.noun}; ${scope}`, {row: ROW});
  }
  if (id === undefined) return survey.unknown(check, evidence, {row: ROW});
  const twice = `${evidence} and another ${kind.noun}, so a repeated request would pay twice`;
  const found = await findHeader(probe, kind, made.money, reply.message);
  const fix = 'set keys.header in the service file to the name of the idempotency key header';
  if (found === undefined) survey.differs(check, twice, {row: ROW, fix});
  else
    survey.differs(check, `${twice}; with the header ${found.header} it does not`, {
      row: ROW,
      write: found.write,
      sure: true,
    });
}
