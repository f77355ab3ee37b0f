import {fireVerification} from './handlers/payment-methods.ts';
import type {FireTimer} from './timers.ts';
import {fireTransfer} from './transfer-steps.ts';

/** Every timer by its subject. */
export const fireTimer: FireTimer = (queries, context, timer) =>
  timer.subject === 'payment_method'
    ? fireVerification(queries, context, timer)
    : fireTransfer(queries, context, timer);
