import {EXIT, type ExitCode} from '../../../errors.ts';
import type {Delivery} from '../../../webhooks/delivery/delivery.ts';
import type {LocalContext} from '../../core/context.ts';
import type {Expectation, ListenFlags} from './options.ts';
import type {Json} from '../../../narrow.ts';

export interface ListenEnding {
  see: (delivery: Delivery, event: Json) => void;
  reached: Promise<{exitCode: ExitCode; matched: string | null}>;
  release: () => void;
}

/** A signal, the expected event, or the end of the time to wait for it. */
export function endOf(
  {stop, clock}: LocalContext,
  {timeout}: ListenFlags,
  expectation: Expectation | undefined,
): ListenEnding {
  const timer = new AbortController();
  let end: (how: {exitCode: ExitCode; matched: string | null}) => void = () => {};
  const reached = new Promise<{exitCode: ExitCode; matched: string | null}>((resolve) => (end = resolve));
  const onSignal = () => end({exitCode: stop.reason?.exitCode ?? EXIT.INTERRUPTED, matched: null});
  const {first} = stop.drain();
  if (first.aborted) onSignal();
  else first.addEventListener('abort', onSignal, {once: true});
  if (timeout !== undefined)
    clock.sleep(timeout, timer.signal).then(
      () => end({exitCode: expectation === undefined ? EXIT.OK : EXIT.TIMED_OUT, matched: null}),
      () => undefined,
    );
  const see = (delivery: Delivery, event: Json) => {
    if (expectation === undefined || delivery.verdict === 'rejected') return;
    if (expectation.matches(delivery.eventType, event)) end({exitCode: EXIT.OK, matched: delivery.id});
  };
  return {see, reached, release: () => timer.abort()};
}
