import {COMMAND_OPERATIONS} from '../../src/cli/help/command-operations.ts';
import {operationOf} from '../../src/service/routes.ts';
import type {OperationId} from '../../src/contract/operations/operations.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID, PAYOUT_ID} from './fixtures.ts';

const PAY = '--amount 1.00 --currency USD';
const ENDS = `--source ${PAYEE_ID} --destination ${PAYER_ID} ${PAY}`;

/** How each command that writes to the service is typed. `SECRET` stands for a file that does not exist. */
const TYPED: Readonly<Record<string, string>> = {
  'payouts:create': `--payee ${PAYEE_ID} ${PAY}`,
  'payouts:approve': PAYOUT_ID,
  'payouts:cancel': PAYOUT_ID,
  'payins:create': `--payer ${PAYER_ID} ${PAY}`,
  'payins:approve': PAYOUT_ID,
  'payins:cancel': PAYOUT_ID,
  'payees:create': '--name Acme',
  'payers:create': '--name Acme',
  'payees:update': `${PAYOUT_ID} --name Acme`,
  'payers:update': `${PAYOUT_ID} --name Acme`,
  'payment-methods:add': `--payee ${PAYEE_ID} --account-number 000123456789 --routing-number 110000000 --account-type checking --holder-name Acme`,
  'payment-methods:set-default': `${METHOD_ID} --payee ${PAYEE_ID}`,
  'payment-methods:delete': `${METHOD_ID} --payer ${PAYER_ID}`,
  'moves:create': ENDS,
  'moves:approve': PAYOUT_ID,
  'subaccounts:create': '--name Rent',
  'treasury:label': `${PAYOUT_ID} Main`,
  'treasury:simulate-credit': `${PAYOUT_ID} ${PAY}`,
  'transfers:create': `${ENDS} --rail book`,
  'transfers:approve': PAYOUT_ID,
  'webhooks:endpoints:create':
    '--url https://example.com/a --event-types payout.settled --secret-file SECRET',
  'webhooks:endpoints:update': `${PAYOUT_ID} --description x`,
  'webhooks:endpoints:delete': PAYOUT_ID,
  'webhooks:endpoints:enable': PAYOUT_ID,
  'webhooks:endpoints:disable': PAYOUT_ID,
};

/** A command that sends one request that changes something. */
export interface WritingCommand {
  id: string;
  /** Without global flags. */
  line: string;
  operation: OperationId;
  /** What a repetition would do. */
  safety: 'keyed' | 'delete' | 'bare';
}

const writesOf = (id: string): OperationId[] =>
  (COMMAND_OPERATIONS[id] ?? []).filter((operation) => operationOf(operation).method !== 'GET');

/** Ids of all commands that write, from the table that their help prints. */
export const WRITING_IDS = Object.keys(COMMAND_OPERATIONS).filter((id) => writesOf(id).length > 0);

/** Commands with several requests, which have tests of their own. */
export const IN_STEPS: Readonly<Record<string, string>> = {
  'webhooks:endpoints:rotate': 'test/commands/error-matrix/endpoints.sweep.test.ts',
};

/** `api` with a key, and without one. */
const ANY_REQUEST: readonly WritingCommand[] = [
  {
    id: 'api',
    line: `api POST /api/payouts --data {"payee_id":"${PAYEE_ID}","amount_in_minor_units":100}`,
    operation: 'payouts.create',
    safety: 'keyed',
  },
  {
    id: 'api',
    line: `api POST /api/payees --data {"name":"Acme"}`,
    operation: 'payees.create',
    safety: 'bare',
  },
  {
    id: 'api',
    line: `api PUT /api/webhooks/endpoints/${PAYOUT_ID} --data {"description":"x"}`,
    operation: 'webhookEndpoints.update',
    safety: 'bare',
  },
  {
    id: 'api',
    line: `api PATCH /api/treasury/accounts/${PAYOUT_ID} --data {"label":"x"}`,
    operation: 'treasury.updateLabel',
    safety: 'bare',
  },
  {
    id: 'api',
    line: `api DELETE /api/webhooks/endpoints/${PAYOUT_ID}`,
    operation: 'webhookEndpoints.delete',
    safety: 'delete',
  },
];

const SINGLE: readonly WritingCommand[] = Object.entries(TYPED).map(([id, words]) => {
  const operation = writesOf(id)[id === 'payment-methods:delete' ? 1 : 0]!; // of the party that the line names
  const {method, key} = operationOf(operation);
  const safety = key !== undefined ? 'keyed' : method === 'DELETE' ? 'delete' : 'bare';
  return {id, line: `${id.replaceAll(':', ' ')} ${words}`, operation, safety};
});

export const WRITING_COMMANDS: readonly WritingCommand[] = [...SINGLE, ...ANY_REQUEST];
