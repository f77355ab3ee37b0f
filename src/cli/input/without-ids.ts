import {RemitError} from '../../errors.ts';

/**
 * Commands whose result has neither an id nor a name: -o id is refused before they do anything. docs/reference/output.schema.json
 * has their fields.
 */
export const WITHOUT_IDS: ReadonlySet<string> = new Set([
  ...[
    'commands',
    'completion',
    'completion:install',
    'completion:uninstall',
    'demo',
    'doctor',
    'explain',
    'help',
  ],
  ...['reconcile', 'reconcile:confirm', 'reconcile:ignore', 'reconcile:reject'],
  ...['payins', 'payouts'].flatMap((topic) =>
    ['policy:check', 'policy:init', 'state:grants'].map((verb) => `${topic}:batch:${verb}`),
  ),
  ...['payees:import', 'payers:import', 'payins:batch:template', 'payouts:batch:template', 'schema'],
  ...['sandbox:advance', 'sandbox:certificate', 'sandbox:clock', 'sandbox:faults:clear', 'sandbox:magic'],
  ...['sandbox:open', 'sandbox:reset', 'sandbox:start', 'sandbox:status', 'sandbox:stop'],
  ...['webhooks:events:export', 'webhooks:events:inspect', 'webhooks:events:prune', 'webhooks:listen'],
  ...['webhooks:send', 'webhooks:sign', 'webhooks:verify'],
]);

/** Refuses -o id for a command whose result has no id. */
export const noIds = (words: string): RemitError =>
  new RemitError('USAGE', `-o id does not apply to ${words}: its result has no id`, {
    hint: 'use -o json, with --query for one value',
  });
