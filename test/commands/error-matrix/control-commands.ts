import {PAYOUT_ID} from '../fixtures.ts';

const STATUS = 'remit sandbox status';

/** Every command that changes the sandbox: how it is typed, and the command that shows whether it happened. */
export const CONTROL_COMMANDS: Readonly<Record<string, readonly (readonly [line: string, shows: string])[]>> =
  {
    'sandbox:advance': [['sandbox advance 1d', STATUS]],
    'sandbox:checkpoint:restore': [['sandbox checkpoint restore a', STATUS]],
    'sandbox:checkpoint:save': [['sandbox checkpoint save a', 'remit sandbox checkpoint list']],
    'sandbox:clock': [['sandbox clock frozen', STATUS]],
    'sandbox:deliveries:redeliver': [
      [`sandbox deliveries redeliver ${PAYOUT_ID}`, `remit sandbox deliveries show ${PAYOUT_ID}`],
    ],
    'sandbox:faults:add': [['sandbox faults add cut', 'remit sandbox faults list']],
    'sandbox:faults:clear': [
      ['sandbox faults clear', 'remit sandbox faults list'],
      ['sandbox faults clear fault_2', 'remit sandbox faults list'],
    ],
    'sandbox:keys': [['sandbox keys --issue test', 'remit sandbox keys']],
    'sandbox:open': [['sandbox open', STATUS]],
    'sandbox:reset': [['sandbox reset', STATUS]],
    'sandbox:seed': [['sandbox seed --payees 1', STATUS]],
    'sandbox:simulate': [
      [`sandbox simulate payout ${PAYOUT_ID} settle`, `remit payouts get ${PAYOUT_ID}`],
      [`sandbox simulate account-transfer ${PAYOUT_ID} settle`, `remit transfers get ${PAYOUT_ID}`],
      [`sandbox simulate payment-method ${PAYOUT_ID} verify`, STATUS],
    ],
    'sandbox:stop': [['sandbox stop', STATUS]],
  };
