import {type Answer, isSuccess} from '../../client/answers/answer.ts';
import {CANONICAL, type Codec} from '../../client/requests/codec.ts';
import {TransportFailure, type Transport} from '../../client/transport/transport.ts';
import type {Clock} from '../../clock.ts';
import {type CommandBuilder, RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {fetchedDifferences} from '../answers/difference.ts';
import {otherPaymentIn} from '../answers/echo.ts';
import {judgeRead, type ReadVerdict} from '../answers/read-verdict.ts';
import {waitTooLongText} from '../answers/stop-words.ts';
import type {Wire} from '../answers/wire.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import type {FieldDifference} from '../model/outcome.ts';
import type {Plan} from '../model/plan-facts.ts';
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
  plan: Pick<Plan, 'kind' | 'batchId'>;
  /** References from `--row`. */
  named: readonly string[];
}

/**
 * The current state of a row's record at the service.
 * @throws RemitError UNAVAILABLE if the service cannot be reached, or asks for a longer wait
 */
export async function readRecord(
  {row, id, isKnownEnd}: {row: JournalRow; id: string; isKnownEnd: boolean},
  reading: RecordReading,
): Promise<{
  is: ReadVerdict['is'];
  status: string | null;
  httpStatus: number;
  /** The service itself reports that there is no such record. */
  isLost: boolean;
  /** The answer shows another payment than that of the row. */
  other: string | undefined;
  /** In what the record differs from the row, if it is still `created`. */
  differences: readonly FieldDifference[];
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
    const {kind} = reading.plan;
    const read = judgeRead({answer}, {row, id, kind, isKnownEnd});
    const other = read.is === 'unknown' ? read.other : otherIn(answer, row, kind);
    const status = read.is === 'moved' ? read.status : null;
    const isLost = read.is === 'not-found' && answer.errorCode !== undefined;
    const differences = read.is === 'open' ? fetchedDifferences(read.record, row, kind) : [];
    return {is: read.is, status, httpStatus: answer.status, isLost, other, differences};
  } catch (cause) {
    if (!(cause instanceof TransportFailure)) throw cause;
    throw new RemitError(
      'UNAVAILABLE',
      `the record of row ${row.reference} could not be read: ${cause.message}`,
      {
        cause,
        hint: (commands) => `nothing was sent again; once the service answers: ${again(reading, commands)}`,
      },
    );
  }
}

/** A record that has not ended is compared with its row again when it is released. */
const otherIn = ({json}: Answer, row: JournalRow, kind: Kind): string | undefined => {
  const parts = isObject(json) ? otherPaymentIn(json, row, kind, true) : undefined;
  return parts === undefined ? undefined : `its record differs from the row: ${parts}`;
};

const again = ({plan, named}: RecordReading, commands: CommandBuilder): string => {
  const rows = named.flatMap((reference) => ['--row', reference]);
  return commands.write(KINDS[plan.kind].topic, 'batch', 'retry', plan.batchId, ...rows);
};

/** Nothing else is sent in the meantime, nor by the run that follows. */
async function waitFor(ms: number, reading: RecordReading): Promise<void> {
  const {clock, stop, maxWaitMs = MAX_WAIT_MS} = reading;
  if (ms > maxWaitMs)
    throw new RemitError('UNAVAILABLE', waitTooLongText(ms), {
      hint: (commands) => `nothing was sent again; after that time: ${again(reading, commands)}`,
    });
  await clock.sleep(ms, stop);
}
