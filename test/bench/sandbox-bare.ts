// The bare server of `npm run bench:sandbox`, with Hono: the same checks of the body, an answer of the same size, and
// nothing kept. `sandbox-bare.ts` prints {base_url, test_key}.
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {getRequestListener} from '@hono/node-server';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {Hono} from 'hono';
import {check} from '../../src/contract/schemas/registry.ts';

const KEY = 'test_sandbox_bare';
const app = new Hono<{Bindings: {outgoing: ServerResponse}}>();
let made = 0;

app.post('/api/payouts', async (c) => {
  const known = c.req.header('x-api-key') === KEY;
  const checked = check('PayoutCreate', await c.req.json());
  const id = `018f0000-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`;
  const now = new Date().toISOString();
  const body = checked.ok
    ? {
        id,
        payee_id: checked.value.payee_id,
        subaccount_id: null,
        status: 'created',
        amount_in_minor_units: checked.value.amount_in_minor_units,
        amount_in_cents: checked.value.amount_in_minor_units,
        currency_code: 'USD',
        country_code: 'US',
        rail: 'standard_ach',
        payout_metadata: {
          payment_method: {id, type: 'bank_account', last4: '6789', bank_name: 'Bank', routing_last4: '0000'},
          payee: {id: checked.value.payee_id, name: 'Elm Works'},
        },
        transfer_details: null,
        client_metadata: checked.value.metadata ?? {},
        created_at: now,
        updated_at: now,
      }
    : {error_code: 'VALIDATION_ERROR', message: 'invalid', details: checked.issues};
  const text = JSON.stringify(body);
  const {outgoing} = c.env;
  outgoing.writeHead(known && checked.ok ? 201 : 400, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  outgoing.end(text); // as the sandbox's server writes
  return RESPONSE_ALREADY_SENT;
});

const listener = getRequestListener((request, env) => app.fetch(request, env), {
  overrideGlobalObjects: false,
});
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo;
  console.log(
    JSON.stringify({base_url: `http://127.0.0.1:${port}`, test_key: KEY, payee: crypto.randomUUID()}),
  );
});
