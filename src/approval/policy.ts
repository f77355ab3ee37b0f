import {createHash} from 'node:crypto';
import {RemitError} from '../errors.ts';
import {formatMajor, parseMajor} from '../money/amount.ts';
import {exponentOf} from '../money/currencies.ts';
import {type DeviceUse, fingerprintOfKey, readPublicKey, type SshKeyType} from './ssh-key.ts';
import {fromBase64} from './ssh-reader.ts';

/** Signatures of approvals and of makers are made for this purpose alone. */
export const APPROVAL_NAMESPACE = 'remit-approval-v1';
/** Signatures of a policy that replaces another one. */
export const POLICY_NAMESPACE = 'remit-policy-v1';

const KEY_RULES = ['any', 'hardware', 'pin'] as const;
/** Which keys count: all, those on a device, or those on a device that asks for a PIN. */
export type KeyRule = (typeof KEY_RULES)[number];

/** Who may approve a batch whose total in a currency is this high or higher. */
export interface ApprovalRule {
  currency: string;
  aboveMinor: bigint;
  /** Names of people in the policy. */
  approvers: readonly string[];
  quorum: number;
  expiresMs: number;
  keys: KeyRule;
}

export interface PolicyKey {
  person: string;
  type: SshKeyType;
  fingerprint: string;
}

export interface Policy {
  /** Of the whole file: any change of it is another policy. */
  sha256: string;
  rules: readonly ApprovalRule[];
  /** By the public key in base64. Nobody shares a key. */
  keys: ReadonlyMap<string, PolicyKey>;
}

/**
 * A policy in the form of `allowed_signers` (ssh-keygen(1)), so that ssh-keygen itself can verify with it: one name for
 * each person, the same on each line with a key of theirs. The rules are comments to ssh-keygen.
 * @throws RemitError GUARD_APPROVAL naming the line; nothing in a policy is ignored
 */
export function parsePolicy(text: string, path: string): Policy {
  const rules: ApprovalRule[] = [];
  const keys = new Map<string, PolicyKey>();
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    const wrong = (why: string) => badPolicy(`${path}, line ${at + 1}`, why);
    if (/^#\s*remit\b/i.test(line)) rules.push(readRule(line, wrong));
    else if (line !== '' && !line.startsWith('#')) addKey(keys, line, wrong);
  }
  for (const rule of rules) checkRule(rule, rules, keys, path);
  if (rules.length === 0) throw badPolicy(path, `it has no rule: ${EXAMPLE}`);
  return {sha256: createHash('sha256').update(text).digest('hex'), rules, keys};
}

const EXAMPLE = '#remit rule currency=USD above=0 approvers=anna,ben quorum=1 expires=72h';

type Wrong = (why: string) => RemitError;

const badPolicy = (place: string, why: string): RemitError =>
  new RemitError('GUARD_APPROVAL', `the policy cannot be used: ${place}: ${why}`);

const UNITS: Readonly<Record<string, number>> = {m: 60_000, h: 3_600_000, d: 86_400_000};
const LONGEST_MS = 30 * 86_400_000;

function readRule(line: string, wrong: Wrong): ApprovalRule {
  const [mark = '', rule, ...words] = line.replace(/^#\s*/, '#').split(/\s+/);
  if (mark !== '#remit' || rule !== 'rule')
    throw wrong(`a line that begins with "#remit" is a rule: ${EXAMPLE}`);
  const values = new Map<string, string>();
  for (const word of words) {
    const [, name, value] = /^(currency|above|approvers|quorum|expires|keys)=(\S+)$/.exec(word) ?? [];
    if (name === undefined || value === undefined || values.has(name))
      throw wrong(`${JSON.stringify(word)} is unknown or repeated`);
    values.set(name, value);
  }
  const value = (name: string): string => {
    const found = values.get(name);
    if (found === undefined) throw wrong(`the rule has no ${name}=`);
    return found;
  };
  const currency = value('currency');
  if (exponentOf(currency) === undefined) throw wrong(`currency=${currency} is not a currency`);
  const approvers = value('approvers').split(',');
  if (new Set(approvers).size < approvers.length) throw wrong('an approver is repeated');
  const quorum = /^[1-9]\d?$/.test(value('quorum')) ? Number(value('quorum')) : 0;
  if (quorum === 0 || quorum > approvers.length)
    throw wrong(`quorum=${value('quorum')} is not between 1 and the number of approvers`);
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(value('expires')) ?? [];
  const expiresMs = Number(count ?? 0) * (UNITS[unit] ?? 0);
  if (expiresMs === 0 || expiresMs > LONGEST_MS) throw wrong('expires= is not a time such as 72h, up to 30d');
  const keys = KEY_RULES.find((rule) => rule === (values.get('keys') ?? 'any'));
  if (keys === undefined) throw wrong(`keys= is not one of ${KEY_RULES.join(', ')}`);
  return {currency, aboveMinor: aboveOf(value('above'), currency, wrong), approvers, quorum, expiresMs, keys};
}

function aboveOf(text: string, currency: string, wrong: Wrong): bigint {
  try {
    return text === '0' ? 0n : parseMajor(text, currency);
  } catch {
    throw wrong(`above=${text} is not an amount of ${currency}`);
  }
}

function addKey(keys: Map<string, PolicyKey>, line: string, wrong: Wrong): void {
  const words = line.split(/\s+/);
  const [person = '', second = ''] = words;
  if (!/^[A-Za-z0-9][\w.@+-]{0,99}$/.test(person))
    throw wrong(`${JSON.stringify(person)} is not one name (patterns and lists of names are refused)`);
  const isOption = second.startsWith('namespaces="');
  if (isOption && second !== `namespaces="${APPROVAL_NAMESPACE},${POLICY_NAMESPACE}"`)
    throw wrong(`only namespaces="${APPROVAL_NAMESPACE},${POLICY_NAMESPACE}" is supported`);
  const [type = '', base64 = ''] = words.slice(isOption ? 2 : 1);
  const what = `the key of ${person}`;
  try {
    const blob = fromBase64(base64, what);
    const key = readPublicKey(blob, what);
    if (key.type !== type) throw wrong(`the option or type ${JSON.stringify(type)} is not supported`);
    if (keys.has(base64)) throw wrong('the key is on another line too');
    keys.set(base64, {person, type: key.type, fingerprint: fingerprintOfKey(blob)});
  } catch (error) {
    throw error instanceof RemitError && !error.message.startsWith('the policy')
      ? wrong(error.message)
      : error;
  }
}

/** A rule that nobody can satisfy, or that another one contradicts, is found here and not at the first release. */
function checkRule(
  rule: ApprovalRule,
  rules: readonly ApprovalRule[],
  keys: ReadonlyMap<string, PolicyKey>,
  path: string,
): void {
  const {currency, approvers} = rule;
  const isSame = (other: ApprovalRule) =>
    other !== rule && other.currency === currency && other.aboveMinor === rule.aboveMinor;
  if (rules.some(isSame)) throw badPolicy(path, `two rules for the same amounts of ${currency}`);
  if (!rules.some((other) => other.currency === currency && other.aboveMinor === 0n))
    throw badPolicy(path, `no rule for ${currency} with above=0`);
  for (const name of approvers) {
    const own = [...keys.values()].filter(({person}) => person === name);
    if (own.length === 0) throw badPolicy(path, `the approver ${name} has no key`);
    if (rule.keys !== 'any' && !own.some(({type}) => isHardware(type)))
      throw badPolicy(path, `the approver ${name} has no hardware key`);
  }
}

const isHardware = (type: SshKeyType): boolean => type.startsWith('sk-');

/** Whether a signature was made with such a key as a rule demands. */
export const fitsRule = (keys: KeyRule, type: SshKeyType, device: DeviceUse | undefined): boolean =>
  keys === 'any' || (isHardware(type) && (keys !== 'pin' || device?.isVerified === true));

/** The rule for a batch with this total, or undefined if the policy has none for its currency. */
export function ruleFor({rules}: Policy, currency: string, totalMinor: bigint): ApprovalRule | undefined {
  const fitting = rules.filter((rule) => rule.currency === currency && rule.aboveMinor <= totalMinor);
  return fitting.reduce<ApprovalRule | undefined>(
    (best, rule) => (best === undefined || rule.aboveMinor > best.aboveMinor ? rule : best),
    undefined,
  );
}

/** `USD from 10000.00: 2 of anna, ben, carol; valid for 72 h` */
export function ruleText({currency, aboveMinor, approvers, quorum, expiresMs, keys}: ApprovalRule): string {
  const which = {any: '', hardware: '; hardware keys', pin: '; hardware keys with PIN'}[keys];
  return `${currency} from ${formatMajor(aboveMinor, currency)}: ${quorum} of ${approvers.join(', ')}; valid for ${durationText(expiresMs)}${which}`;
}

const durationText = (ms: number): string =>
  ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${ms / 60_000} min`;
