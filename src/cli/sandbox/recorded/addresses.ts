import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {isObject, type JsonFields, type JsonValue, ownJson} from '../../../narrow.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {SANDBOX_START, sandboxStartAt} from '../../runtime/sandbox-port.ts';
import {sandboxPlace, sandboxUrl, type SandboxPlace} from './place.ts';
import {lifeOfSandbox, runningSandboxes} from './running.ts';

/** Where the sandbox on the store of a state folder was started, kept after it has stopped. */
interface FormerAddress {
  base_url: string;
  detached: boolean;
}

/** Ports that were picked (`--port 0`) are many; only the newest addresses are kept. */
const MOST = 100;

const fileIn = ({folder}: SandboxPlace): string => join(folder, 'addresses.json');

function readAddresses(place: SandboxPlace): FormerAddress[] {
  try {
    return ownJson<readonly JsonValue[]>(readFileSync(fileIn(place), 'utf8')).flatMap(addressIn);
  } catch {
    return []; // they are only for hints
  }
}

function addressIn(value: JsonValue): FormerAddress[] {
  const {base_url, detached}: JsonFields = isObject(value) ? value : {};
  return typeof base_url === 'string' && typeof detached === 'boolean' ? [{base_url, detached}] : [];
}

/** Called when it runs; again with `detached` by the command that started it in the background. */
export function noteAddress(place: SandboxPlace, address: FormerAddress): void {
  const others = readAddresses(place).filter(({base_url: url}) => url !== address.base_url);
  const newest = [address, ...others].slice(0, MOST);
  writeFileAtomic(fileIn(place), `${JSON.stringify(newest)}\n`, {durable: false});
}

/**
 * The command that starts the sandbox of this state folder at an address where it was started before, the same way;
 * if it runs at another one now, it is stopped first. Undefined for other addresses, which may belong to anything,
 * except for the usual one as long as no sandbox was started here.
 */
export function sandboxStartAgain(stateDir: string, url: string): string | undefined {
  const place = sandboxPlace(stateDir);
  const addresses = readAddresses(place);
  const holder = runningSandboxes(stateDir).find(({store}) => store === place.store);
  const isRunning = holder !== undefined && lifeOfSandbox(holder) !== 'dead';
  const start = sandboxStartAt(url);
  if (addresses.length === 0) return start === SANDBOX_START && !isRunning ? start : undefined;
  const {origin} = new URL(sandboxUrl(url));
  const former = addresses.find(({base_url: known}) => known === origin);
  if (former === undefined || start === undefined) return undefined;
  if (isRunning && holder.base_url === former.base_url) return undefined;
  const again = former.detached ? start.replace(SANDBOX_START, `${SANDBOX_START} --detach`) : start;
  return isRunning ? `remit sandbox stop && ${again}` : again;
}
