import {RemitError} from '../../errors.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {findProjectFile} from '../../profiles/project-file.ts';
import {storedProfile} from '../../profiles/resolve.ts';
import {systemProbe} from '../../store/locks/lock-holder.ts';
import {shellWord} from '../../shell-word.ts';
import type {LocalContext} from '../core/context.ts';
import {sandboxStartAt} from '../runtime/sandbox-port.ts';
import {notRunning} from './not-running.ts';
import {sandboxStartAgain} from './recorded/addresses.ts';
import {sandboxPlace, sandboxUrl} from './recorded/place.ts';
import {runningSandboxes, type Running} from './recorded/running.ts';

/** Where the choice of a sandbox comes from, for a message. */
interface Wanted {
  url: string;
  from: string;
}

const targets = new WeakMap<LocalContext, Running>();

/**
 * The sandbox that the commands of this invocation use, named once on stderr: the one of `--profile`, REMIT_BASE_URL
 * or REMIT_PROFILE; otherwise that of the active profile, if it runs; otherwise the default one, or the only one.
 *
 * @throws {RemitError} NOT_RUNNING; GUARD_TARGET if the named one does not run here, or if several run and none is
 *   named
 */
export function targetSandbox(local: LocalContext): Running {
  const known = targets.get(local);
  if (known !== undefined) return known;
  const target = findTarget(local);
  local.out.note(`Sandbox ${target.base_url} (store ${target.store})`);
  targets.set(local, target);
  return target;
}

/** A sandbox command for a hint: typed unchanged, it uses the same sandbox. */
export const sandboxCommand = (local: LocalContext, ...words: readonly string[]): string =>
  commandAsHere(local, 'sandbox', ...words);

/** Any command for a hint, with the profile or base URL of this one. */
function commandAsHere({flags, runtime}: LocalContext, ...words: readonly string[]): string {
  const command = ['remit', ...words].map(shellWord).join(' ');
  const {REMIT_BASE_URL: url, REMIT_PROFILE: named} = runtime.env;
  if (flags.profile === undefined && url) return `REMIT_BASE_URL=${shellWord(url)} ${command}`;
  const profile = flags.profile ?? (named || undefined);
  return profile === undefined ? command : `${command} -p ${shellWord(profile)}`;
}

/** A command about the records of the sandbox in use, with a profile that leads there. */
export function recordCommand(local: LocalContext, ...words: readonly string[]): string {
  const {base_url: target} = targetSandbox(local);
  const {profiles} = readConfig(local.configDir);
  const isHere = explicitTarget(local) !== undefined || impliedUrl(local) === target;
  const profile = isHere
    ? undefined
    : Object.keys(profiles).find((name) => profiles[name]?.base_url === target);
  return commandAsHere(local, ...words, ...(profile === undefined ? [] : ['-p', profile]));
}

function findTarget(local: LocalContext): Running {
  const running = runningSandboxes(local.stateDir);
  const wanted = explicitTarget(local);
  const [first] = running;
  if (first === undefined) throw noneRuns(local, wanted);
  if (wanted !== undefined) {
    const named = running.find(({base_url: url}) => url === wanted.url);
    if (named !== undefined) return named;
    throw new RemitError('GUARD_TARGET', `${wanted.from} is ${wanted.url}, but ${describeAll(running)}`, {
      hint: `${hintFor(first)}${moveHint(local, running, wanted.url)}`,
    });
  }
  // The record of a killed process does not count while another sandbox is running.
  const alive = running.filter(({pid}) => systemProbe.exists(pid));
  const candidates = alive.length === 0 ? running : alive;
  const implied = impliedUrl(local);
  const chosen =
    candidates.find(({base_url: url}) => url === implied) ??
    candidates.find(({place}) => place.isKept) ??
    (candidates.length === 1 ? candidates[0] : undefined);
  if (chosen !== undefined) return chosen;
  throw new RemitError('GUARD_TARGET', `${describeAll(candidates)}; choose one with REMIT_BASE_URL`, {
    hint: hintFor(candidates[0] ?? first),
  });
}

/** What was set for this command, or for this shell. */
function explicitTarget({flags, runtime, configDir}: LocalContext): Wanted | undefined {
  const {REMIT_BASE_URL: url, REMIT_PROFILE: profile} = runtime.env;
  const profileUrl = (name: string) =>
    sandboxUrl(storedProfile(readConfig(configDir), name, configDir).profile.base_url);
  if (flags.profile !== undefined)
    return {url: profileUrl(flags.profile), from: `the base URL of profile ${flags.profile}`};
  if (url) return {url: sandboxUrl(url), from: 'REMIT_BASE_URL'};
  if (profile) return {url: profileUrl(profile), from: `the base URL of REMIT_PROFILE=${profile}`};
  return undefined;
}

/**
 * Where other commands would go. This is no reason to refuse, because a default profile may lead to the real service.
 */
function impliedUrl({configDir, runtime, flags}: LocalContext): string | undefined {
  const config = readConfig(configDir);
  const name = findProjectFile(runtime.cwd, flags.profile, runtime.env)?.profile ?? config.default;
  const profile =
    name !== undefined && Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  return profile && sandboxUrl(profile.base_url);
}

function describeAll(running: readonly Running[]): string {
  const each = running.map(({base_url: url, store}) => `${url} (store ${store})`);
  return each.length === 1
    ? `the running sandbox is ${each[0]}`
    : `${each.length} sandboxes are running: ${each.join(', ')}`;
}

const hintFor = ({base_url: url}: Running): string => `REMIT_BASE_URL=${url} remit sandbox status`;

/** How to run it where the profile expects it. Its store can be opened by one sandbox, which keeps keys and records. */
function moveHint({stateDir}: LocalContext, running: readonly Running[], url: string): string {
  const start = sandboxStartAt(url);
  if (start === undefined) return '';
  const {store} = sandboxPlace(stateDir);
  const holder = running.find((one) => one.store === store);
  const stop = holder === undefined ? '' : `REMIT_BASE_URL=${holder.base_url} remit sandbox stop, then `;
  return `; to run one at ${url}: ${stop}${start}`;
}

function noneRuns(local: LocalContext, wanted: Wanted | undefined): RemitError {
  const asked = wanted === undefined ? '' : `; ${wanted.from} is ${wanted.url}`;
  const message = `no sandbox is running (state folder ${local.stateDir})${asked}`;
  const url = wanted?.url ?? impliedUrl(local);
  const error = notRunning(message, url);
  const again = url === undefined ? undefined : sandboxStartAgain(local.stateDir, url);
  return again === undefined ? error : error.withHint(again);
}
