import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {basename, join} from 'node:path';
import {RemitError} from '../errors.ts';
import {codeOf} from '../narrow.ts';
import {writeFileAtomic} from '../store/files/atomic-file.ts';
import {fileFailure} from '../store/files/failures.ts';
import {makeFolder, syncWayTo} from '../store/files/folder.ts';
import {describeSelf, lifeOf, systemProbe} from '../store/locks/lock-holder.ts';
import {type OpenPayment, parsePayment, writePayment} from './open-payment.ts';

/** An open payment and its file. */
export interface StoredPayment extends OpenPayment {
  file: string;
}

/**
 * The payments of a state folder whose outcome is not known: one small file each, so that any number of processes can
 * add and remove theirs without a lock, and none can damage that of another.
 */
const openPaymentsFolder = (stateDir: string): string => join(stateDir, 'in-doubt');

/** What `--accept new-payment=ID` names: it is the same for every repetition with the same key. */
export const paymentId = ({file}: StoredPayment): string => basename(file).slice(0, 8);

/** A file that was removed while the folder was read belongs to a payment that has ended. */
const NAME = /^[0-9a-f]{16}\.json$/;

/**
 * The newest first.
 * @param onDamaged called for a file that cannot be used, instead of throwing
 * @throws RemitError STATE or STATE_DAMAGED naming the file: the payment in it may be the one that is about to be made
 */
export function readOpenPayments(
  stateDir: string,
  onDamaged = (error: RemitError): void => {
    throw error;
  },
): StoredPayment[] {
  const folder = openPaymentsFolder(stateDir);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileFailure(error, 'read', folder);
  }
  return names
    .filter((name) => NAME.test(name))
    .flatMap((name) => readPayment(join(folder, name), onDamaged))
    .sort((a, b) => b.firstSentMs - a.firstSentMs);
}

function readPayment(file: string, onDamaged: (error: RemitError) => void): StoredPayment[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    onDamaged(fileFailure(error, 'read', file));
    return [];
  }
  const payment = parsePayment(text);
  if (payment !== undefined) return [{...payment, file}];
  onDamaged(
    new RemitError('STATE_DAMAGED', `${file} should contain a payment in doubt, but is damaged`, {
      hint: 'find out from the lists of the service which recent payment it was, then remove the file',
      details: {file},
    }),
  );
  return [];
}

/** Commits a payment that this process is about to send. Its file is on disk when this returns. @throws RemitError STATE */
export function keepPayment(
  stateDir: string,
  payment: Omit<OpenPayment, 'sender'>,
  {nowMs, file}: {nowMs: number; file?: string | undefined},
): StoredPayment {
  const folder = openPaymentsFolder(stateDir);
  const token = randomBytes(8).toString('hex');
  const sender = describeSelf(systemProbe, 'create', token, nowMs);
  const stored = {...payment, sender, file: file ?? join(folder, `${token}.json`)};
  makeFolder(folder);
  writeStored(stored);
  syncWayTo(folder);
  return stored;
}

/** What a request has shown about a payment. */
export type Shown = Partial<Pick<OpenPayment, 'recordId' | 'secondId' | 'mayBeApproved' | 'acceptedMs'>>;

/** Records what is known while its process still waits for an answer. */
export function notePayment(payment: StoredPayment, shown: Shown): StoredPayment {
  const noted = {...payment, ...shown};
  try {
    writeStored(noted);
  } catch {
    // the entry itself is on disk
  }
  return noted;
}

/**
 * Records that no process waits for its answer any more, and what is known. Otherwise the first is known from the end
 * of the process.
 */
export function leavePayment(payment: StoredPayment, shown: Shown = {}): void {
  notePayment({...payment, sender: null}, shown);
}

/** Records that another payment was sent despite this one, which stays in doubt. One that has ended meanwhile stays so. */
export function acceptPayment({file}: StoredPayment, acceptedMs: number): void {
  for (const payment of readPayment(file, () => {})) notePayment(payment, {acceptedMs});
}

/** @throws RemitError STATE */
export function forgetPayment({file}: StoredPayment): void {
  try {
    rmSync(file, {force: true});
  } catch (error) {
    throw fileFailure(error, 'remove', file);
  }
}

/** Whether another command is waiting for its answer on this machine. */
export const isBeingSent = ({sender}: OpenPayment): boolean =>
  sender !== null && lifeOf(sender, systemProbe) === 'alive';

function writeStored({file, ...payment}: StoredPayment): void {
  writeFileAtomic(file, writePayment(payment));
}
