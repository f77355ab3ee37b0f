import {fireAccountTransfer} from './account-transfer-steps.ts';
import {fireBankLine} from '../ledger/bank-lines.ts';
import {fireVerification} from './payment-method.ts';
import type {FireTimer} from '../world/timers.ts';
import {fireTransfer} from './steps.ts';

/** Every timer by its subject. */
export const fireTimer: FireTimer = (queries, context, timer) => {
  switch (timer.subject) {
    case 'payment_method':
      return fireVerification(queries, context, timer);
    case 'account_transfer':
      return fireAccountTransfer(queries, context, timer);
    case 'bank_line':
      return fireBankLine(queries, timer);
    case 'payin':
    case 'payout':
      return fireTransfer(queries, context, timer);
  }
};
