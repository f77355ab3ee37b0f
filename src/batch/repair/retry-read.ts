import {type Answer, isSuccess} from '../../client/answers/answer.ts';
import {CANONICAL, type Codec} from '../../client/requests/codec.ts';
import {TransportFailure, type Transport} from '../../client/transport/transport.ts';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {judgeRead, type ReadVerdict} from '../answers/read-verdict.ts';
import {waitTooLongText} from '../answers/stop-words.ts';
import type {Wire} from '../answers/wire.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {MAX_WAIT_MS} from '../send/patience.ts';

/** Maximum number of tries to read one record while the service asks to wait. */
const LOOKS = 3;

/** What reading a record takes. */
export interface RecordReading {
  wire: Wire;
  transport: Transport;
  /** Of a service that differs from the contract. */
  codec?: Codec | undefined;
  clock: Clock;
  /** A longer Retry-After ends the command (default 15 minutes). */
  maxWaitMs?: number | undefined;
  stop: AbortSignal;
}

/**
 * The current state of a row's record at the service.
 * @throws RemitError UNAVAILABLE if the service cannot be reached, or asks for a longer wait
 */
export async function readRecord(
  row: JournalRow,
  id: string,
  reading: RecordReading,
): Promise<{
  is: ReadVerdict['is'];
  status: string | null;
  httpStatus: number;
  /** The service itself reports that there is no such record. */
  isLost: boolean;
}> {
  const {wire, transport, clock, codec = CANONICAL} = reading;
  try {
    let answer: Answer;
    let isRefused: boolean;
    let tries = 0;
    do {
      const request = wire.get(id);
      answer = codec.read(request, await transport.send(codec.encode(request)), clock.now());
      if (answer.retryAfterMs !== undefined) await waitFor(answer.retryAfterMs, reading);
      isRefused = answer.retryAfterMs !== undefined && !isSuccess(answer.status);
    } while (isRefused && ++tries < LOOKS);
    const read = judgeRead({answer}, id);
    const status = read.is === 'moved' ? read.status : null;
    const isLost = read.is === 'not-found' && answer.errorCode !== undefined;
    return {is: read.is, status, httpStatus: answer.status, isLost};
  } catch (cause) {
    if (!(cause instanceof TransportFailure)) throw cause;
    throw new RemitError(
      'UNAVAILABLE',
      `cannot ask the service about row ${row.reference}: ${cause.message}`,
      {
        cause,
        hint: 'nothing was sent again; run the same command once the service answers',
      },
    );
  }
}

/** Nothing else is sent in the meantime, nor by the run that follows. */
async function waitFor(ms: number, {clock, stop, maxWaitMs = MAX_WAIT_MS}: RecordReading): Promise<void> {
  if (ms > maxWaitMs)
    throw new RemitError('UNAVAILABLE', waitTooLongText(ms), {
      hint: 'nothing was sent again; run the same command after that time',
    });
  await clock.sleep(ms, stop);
}
