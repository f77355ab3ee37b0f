import {poll} from '../../../clock.ts';
import {RemitError} from '../../../errors.ts';
import {RecordReader} from '../../../webhooks/record/reader.ts';
import type {Context} from '../../core/context.ts';
import {DEFAULT_WAIT_MS} from '../../input/durations.ts';
import {recordFolder} from '../place.ts';
import type {RotateRequest} from './request.ts';
import {continueWith, type Rotation, type RotationState} from './rotation.ts';

const WATCH_EVERY_MS = 500;

/** Waits until the listener's record has a delivery that verified with the new secret, or the user confirms it. */
export async function verifyNew(context: Context, rotation: Rotation, request: RotateRequest): Promise<void> {
  const {out} = context;
  const state = rotation.known;
  if (state.step === 'verified') return;
  if (request.confirmed) return rotation.save({...state, step: 'verified', verified_by: 'confirmation'});
  const timeoutMs = request.timeoutMs ?? DEFAULT_WAIT_MS;
  out.note(
    'Both endpoints receive every event now. The old secret stays in use until this command deletes the old endpoint.',
  );
  out.note(
    'Give your receiver the new secret as well as the old one. For a running `remit webhooks listen`, add it to the file of its --secret-from.',
  );
  out.note(
    `Waiting up to ${minutes(timeoutMs)} for a delivery that the listener verifies with the new secret (fingerprint ${state.fingerprint}). If your receiver is another program, press Ctrl-C, and when it has the new secret, run:`,
  );
  out.hint(continueWith(context, state.old_id, '--confirmed'));
  const delivery = await verifiedDelivery(context, state, timeoutMs);
  if (delivery === undefined)
    throw new RemitError('WAIT_TIMEOUT', 'no delivery verified with the new secret before the time limit');
  out.text(`The delivery ${delivery} verified with the new secret.`);
  rotation.save({...state, step: 'verified', verified_by: 'delivery', delivery});
}

const minutes = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`);

async function verifiedDelivery(
  context: Context,
  {fingerprint}: RotationState,
  timeoutMs: number,
): Promise<string | undefined> {
  const {clock, stop} = context;
  const reader = new RecordReader(recordFolder(context));
  const step = async () => {
    for (const entry of reader.more())
      if (entry.kind === 'delivery' && entry.delivery.verdict === 'verified')
        if (entry.delivery.secret === fingerprint) return entry.delivery.id;
    return undefined;
  };
  const sleep = (ms: number) => clock.sleep(ms, stop.signal);
  return poll({step, clock, timeoutMs, pauseMs: () => WATCH_EVERY_MS, sleep});
}
