import assert from 'node:assert/strict';
import {setTimeout as wait} from 'node:timers/promises';
import {RemitError} from '../../../src/errors.ts';
import {signatureHeaders} from '../../../src/webhooks/verify/signature.ts';
import {delivery, forward, idOf} from '../record/deliveries.ts';
import {PageClient, rowIds} from './page-client.ts';

const DATA_PATHS = ['/deliveries', `/deliveries/${idOf(1)}`, `/deliveries/${idOf(1)}/curl`, '/events'];
const OPEN_PATHS = ['/', '/inspector.js', '/icon.svg', '/favicon.ico'];
const HOSTILE = `<img src=x onerror="alert(1)"></pre><script>alert(2)</script>'"\`&`;

describe("the inspector's server", () => {
  let at: PageClient;
  beforeEach(async () => {
    at = await PageClient.open();
    at.log.add({kind: 'delivery', delivery: delivery(1)});
  });
  afterEach(async () => {
    await at.close();
    assert.deepEqual(at.bugs, []);
  });

  it('serves an empty page without the token, and no data', async () => {
    for (const path of OPEN_PATHS) {
      const {status, text} = await at.send(path, {});
      assert.equal(status, 200, path);
      assert.doesNotMatch(text, /payout_id|dlv_0/);
      assert.ok(!text.includes(at.token), 'the token is in the page');
    }
    for (const path of DATA_PATHS)
      for (const headers of [
        {},
        {'x-remit-token': ''},
        {'x-remit-token': `${at.token}x`},
        {'x-remit-token': at.token.slice(1)},
        {cookie: `x-remit-token=${at.token}`},
        {authorization: `Bearer ${at.token}`},
      ] as Record<string, string>[])
        assert.equal((await at.send(path, {headers})).status, 401, `${path} ${JSON.stringify(headers)}`);
    assert.equal((await at.send(`/deliveries?open=${at.token}`, {})).status, 401);
  });

  it('refuses a name that is not its own, as after DNS rebinding, on every path', async () => {
    const {port} = at;
    const foreign = [
      ...['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, `127.0.0.1:${port + 1}`],
      ...[
        '127.0.0.1',
        'localhost',
        `0.0.0.0:${port}`,
        `127.0.0.1:${port}.evil.example`,
        `127.0.0.1:${port}@evil.example`,
      ],
    ];
    for (const path of [...OPEN_PATHS, ...DATA_PATHS])
      for (const host of foreign) assert.equal((await at.get(path, {host})).status, 403, `${path} ${host}`);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
      assert.equal((await at.get('/deliveries', {host})).status, 200, host);
  });

  it('refuses other origins and sites even with the token, and gives no permission across origins', async () => {
    const {port} = at;
    for (const headers of [
      {origin: 'http://evil.example'},
      {origin: 'null'},
      {origin: `https://127.0.0.1:${port}`},
      {origin: `http://localhost:${port}`}, // the Host is 127.0.0.1
      {origin: `http://127.0.0.1:${port + 1}`},
      {'sec-fetch-site': 'cross-site'},
      {'sec-fetch-site': 'same-site'},
    ] as Record<string, string>[])
      for (const path of DATA_PATHS) {
        const answer = await at.get(path, headers);
        assert.equal(answer.status, 403, `${path} ${JSON.stringify(headers)}`);
        assert.doesNotMatch(answer.text, /payout/);
      }
    const preflight = await at.send('/deliveries', {
      method: 'OPTIONS',
      headers: {origin: at.origin, 'access-control-request-headers': 'x-remit-token'},
    });
    assert.equal(preflight.status, 405);
    for (const {headers} of [preflight, await at.get('/deliveries', {origin: at.origin})])
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
  });

  it('allows a link from elsewhere to the empty page only', async () => {
    const headers = {'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate'};
    assert.equal((await at.send('/', {headers})).status, 200);
    assert.equal((await at.send('/deliveries', {headers})).status, 401);
  });

  it('forbids inline scripts, frames and foreign files, and is not kept', async () => {
    for (const path of [...OPEN_PATHS, '/deliveries', '/nothing']) {
      const {headers} = await at.get(path);
      const policy = headers['content-security-policy'] as string;
      assert.match(
        policy,
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self';/,
      );
      assert.match(policy, /base-uri 'none'; frame-ancestors 'none'$/);
      assert.doesNotMatch(policy, /unsafe|\*|http:/);
      assert.deepEqual(
        ['x-content-type-options', 'cache-control', 'x-frame-options', 'cross-origin-resource-policy'].map(
          (name) => headers[name],
        ),
        ['nosniff', 'no-store', 'DENY', 'same-origin'],
      );
    }
    const {text} = await at.get('/');
    assert.deepEqual(text.match(/<script[^>]*>[^<]*<\/script>/g), [
      '<script src="/inspector.js" defer></script>',
    ]);
    assert.doesNotMatch(text, / (on\w+|style)=/);
  });

  it('serves no files: paths outside the server find nothing', async () => {
    for (const path of [
      ...['/../../../../etc/passwd', '/..%2f..%2fetc%2fpasswd', '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd'],
      ...[
        '/deliveries/../../../etc/passwd',
        '/deliveries/..%2f..%2fetc%2fpasswd',
        '/deliveries/dlv_',
        '/deliveries/',
      ],
      ...[
        `/deliveries/${idOf(1)}/../../etc/passwd`,
        `/deliveries/${idOf(1)}%00`,
        '/inspector.js/../server.ts',
        '/deliveries/__proto__',
      ],
      ...['/constructor', '/\\..\\windows', '/deliveries/dlv_00000000000000000000000Z'],
    ]) {
      const {status, text} = await at.get(path);
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /root:/);
    }
    assert.equal((await at.get(`/deliveries/${idOf(2)}`)).status, 404);
    assert.equal((await at.get(`/deliveries/${idOf(1)}/replay`)).status, 404, 'a replay is a POST');
    assert.equal((await at.post(`/deliveries/${idOf(1)}`, {})).status, 404);
    for (const method of ['PUT', 'DELETE', 'HEAD', 'PATCH'])
      assert.equal((await at.send('/deliveries', {method})).status, 405);
  });

  it('shows every value of a delivery as text, never as markup', async () => {
    const hostile = delivery(2, {
      eventId: HOSTILE,
      eventType: HOSTILE,
      path: `/${HOSTILE}`,
      headers: [['X-Evil', HOSTILE]],
      body: Buffer.from(JSON.stringify({id: HOSTILE, type: HOSTILE, data: {[`${HOSTILE}_id`]: HOSTILE}})),
      targets: [`http://localhost:1/${HOSTILE}`],
      duplicateOf: HOSTILE,
      secret: HOSTILE,
    });
    const raw = delivery(3, {body: Buffer.from(HOSTILE), eventId: null, eventType: null});
    const bytes = delivery(4, {body: Buffer.concat([Buffer.from([0xff]), Buffer.from(HOSTILE)])});
    const rejected = {...hostile, id: idOf(5), verdict: 'rejected', reason: 'mismatch'} as const;
    for (const one of [hostile, raw, bytes, rejected]) at.log.add({kind: 'delivery', delivery: one});
    const failed = forward(2, {target: hostile.targets[0]!, status: null, error: HOSTILE, gaveUp: true});
    at.log.add({kind: 'forward', forward: failed});
    for (const path of ['/deliveries', ...[2, 3, 4, 5].map((number) => `/deliveries/${idOf(number)}`)]) {
      const {status, text} = await at.get(path);
      assert.equal(status, 200);
      assert.match(text, /&#60;img/, path);
      assert.doesNotMatch(text, /<img|<script|onerror="/, path);
    }
  });

  it('lists 2,100 deliveries in pages of 100, each once, newest first', async () => {
    for (let number = 2; number <= 2100; number += 1)
      at.log.add({kind: 'delivery', delivery: delivery(number)});
    const seen: string[] = [];
    for (let before = '', more = true; more;) {
      const {text} = await at.get(`/deliveries${before === '' ? '' : `?before=${before}`}`);
      const ids = rowIds(text);
      assert.ok(ids.length <= 100 && text.length < 200_000, `${ids.length} rows, ${text.length} bytes`);
      assert.match(text, /data-matching="2100" data-total="2100"/);
      seen.push(...ids);
      before = ids.at(-1)!;
      more = text.includes('data-more="yes"');
    }
    assert.deepEqual(
      seen,
      Array.from({length: 2100}, (_, index) => idOf(2100 - index)),
    );
  });

  it('filters by type, verdict, failed forwards, and by a search in ids and bodies', async () => {
    const add = (number: number, changes: Parameters<typeof delivery>[1]) =>
      at.log.add({kind: 'delivery', delivery: delivery(number, changes)});
    add(2, {eventType: 'payin.failed', body: Buffer.from('{"note":"Größe"}')});
    add(3, {eventType: 'treasury.moved', targets: ['http://localhost:3000/']});
    add(4, {verdict: 'rejected', reason: 'mismatch', eventType: null, eventId: null});
    add(5, {duplicateOf: idOf(1), attempt: 2, eventId: 'e1'});
    add(6, {filtered: true});
    at.log.add({kind: 'forward', forward: forward(3, {status: 500, gaveUp: true})});
    const found = async (query: string) =>
      rowIds((await at.get(`/deliveries?${query}`)).text).map((id) => Number(id.slice(4)));
    assert.deepEqual(await found('type=payin.*'), [2]);
    assert.deepEqual(await found('type=payout.settled'), [6, 5, 1]);
    assert.deepEqual(await found('type=other'), [4, 3]);
    assert.deepEqual(await found('verdict=rejected'), [4]);
    assert.deepEqual(await found('verdict=duplicate'), [5]);
    assert.deepEqual(await found('verdict=filtered'), [6]);
    assert.deepEqual(await found('failed=yes'), [3]);
    assert.deepEqual(await found('search=E1'), [5, 1]);
    assert.deepEqual(await found(`search=${idOf(3)}`), [3]);
    assert.deepEqual(await found('search=gr%C3%B6%C3%9Fe'), [2]);
    assert.deepEqual(await found('search=mismatch'), [4]);
    assert.deepEqual(await found('type=payout.*&verdict=verified&search=p1'), [1]);
    assert.deepEqual(await found('type=__proto__&verdict=nonsense'), [6, 5, 4, 3, 2, 1]);
    assert.match((await at.get('/deliveries?search=nowhere')).text, /No delivery matches the filter/);
  });

  it('shows why a delivery was rejected and what would have matched, not the expected signature', async () => {
    const secret = 'whsec_0123456789abcdef';
    await at.close();
    at = await PageClient.open({secrets: () => [secret]});
    const body = Buffer.from('{"a":1}');
    const headers = signatureHeaders(secret, body, Date.now());
    const sent = Buffer.from('{"a":1}\n');
    const expected = signatureHeaders(secret, sent, Date.now())['X-Webhook-Signature']!;
    const rejected = {verdict: 'rejected', reason: 'mismatch', eventId: null, eventType: null} as const;
    at.log.add({
      kind: 'delivery',
      delivery: delivery(1, {...rejected, body: sent, headers: Object.entries(headers)}),
    });
    at.log.add({kind: 'delivery', delivery: delivery(2, {...rejected, body: Buffer.alloc(70_000, 0x20)})});
    at.log.add({
      kind: 'delivery',
      delivery: delivery(3, {...rejected, reason: 'body_too_large', body: Buffer.alloc(0)}),
    });
    const {text} = await at.get(`/deliveries/${idOf(1)}`);
    assert.match(text, /the signature does not match the body/);
    assert.match(text, /It matches if the final newline is removed\./);
    assert.ok(!text.includes(expected) && !text.includes(secret));
    assert.match(
      (await at.get(`/deliveries/${idOf(2)}`)).text,
      new RegExp(`remit webhooks verify ${idOf(2)}`),
    );
    assert.match((await at.get(`/deliveries/${idOf(3)}`)).text, /was not kept/);
    at.log.add({kind: 'delivery', delivery: delivery(4, {...rejected, body: sent, bodyBytes: 70_000})});
    const start = (await at.get(`/deliveries/${idOf(4)}`)).text;
    assert.match(start, /the start of 70000; the rest was not kept/);
    assert.match(start, new RegExp(`remit webhooks verify ${idOf(4)}`), 'no diagnosis of a part');
    assert.equal((await at.get(`/deliveries/${idOf(3)}/curl`)).status, 400);
  });

  it('shows attempts, forwards and replays of a delivery, and only the beginning of a long body', async () => {
    at.log.add({
      kind: 'delivery',
      delivery: delivery(2, {
        eventId: 'e1',
        duplicateOf: idOf(1),
        attempt: 2,
        targets: ['http://localhost:3000/'],
      }),
    });
    at.log.add({kind: 'forward', forward: forward(2, {status: null, error: 'connection refused'})});
    at.log.add({kind: 'forward', forward: forward(2, {attempt: 2, cause: 'replay', resigned: true})});
    const {text} = await at.get(`/deliveries/${idOf(2)}`);
    assert.match(text, /2 deliveries, oldest first/);
    assert.match(text, new RegExp(`href="#${idOf(1)}"`));
    assert.match(text, /connection refused[\s\S]*listener|listener[\s\S]*connection refused/);
    assert.match(text, /replay, re-signed/);
    assert.match(text, /data-target="http:\/\/localhost:3000\/"/);
    at.log.add({kind: 'delivery', delivery: delivery(3, {body: Buffer.from(`"${'é'.repeat(400_000)}"`)})});
    const long = await at.get(`/deliveries/${idOf(3)}`);
    assert.ok(long.text.length < 300_000);
    assert.match(long.text, /the first 262144 are shown/);
    assert.match(long.text, new RegExp(`remit webhooks events show ${idOf(3)} --raw`));
  });

  it('keeps the line feeds with which a body begins', async () => {
    at.log.add({kind: 'delivery', delivery: delivery(2, {body: Buffer.from('\n\nx')})});
    const {text} = await at.get(`/deliveries/${idOf(2)}`);
    assert.match(text, /aria-label="Body, raw">\n\n\nx<\/pre>/); // a parser drops the first one
  });

  it('sends an event for each group of changes', async () => {
    const reader = await at.follow();
    assert.equal(reader.status, 200);
    for (const number of [2, 3]) at.log.add({kind: 'delivery', delivery: delivery(number)});
    while (!reader.text().includes('data:')) await wait(5);
    assert.equal(
      reader.text(),
      `: connected\n\nevent: change\ndata: {"ids":["${idOf(2)}","${idOf(3)}"]}\n\n`,
    );
    for (let number = 4; number < 400; number += 1)
      at.log.add({kind: 'delivery', delivery: delivery(number)});
    while (!reader.text().endsWith('data: {"ids":null}\n\n')) await wait(5);
    reader.close();
  });

  it('limits the readers of events, and ends them when it closes', async () => {
    const readers = [];
    for (let number = 0; number < 21; number += 1) readers.push(await at.follow());
    at.log.add({kind: 'delivery', delivery: delivery(2)});
    while (readers.filter((reader) => reader.text().includes('data:')).length < 20) await wait(5);
    assert.equal(readers[20]!.text(), '');
    await at.close(); // does not wait for them
    at = await PageClient.open();
  });

  it('replays only for a JSON request of its own page with the token', async () => {
    const path = `/deliveries/${idOf(1)}/replay`;
    const body = {target: '3000/hook', resign: false};
    const headers = {'x-remit-token': at.token, origin: at.origin, 'content-type': 'application/json'};
    const without = (name: keyof typeof headers) =>
      at.send(path, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
        body: JSON.stringify(body),
      });
    assert.equal((await without('x-remit-token')).status, 401);
    assert.equal((await without('origin')).status, 403);
    assert.equal((await without('content-type')).status, 400);
    for (const [sent, more] of [
      [body, {'content-type': 'text/plain'}],
      [body, {'content-type': 'application/x-www-form-urlencoded'}],
      ['{', {}],
      ['null', {}],
      [{target: 3000, resign: false}, {}],
      [{target: '3000', resign: 'yes'}, {}],
      [{...body, more: 'x'.repeat(10_000)}, {}],
    ] as [unknown, Record<string, string>][])
      assert.equal((await at.post(path, sent, more)).status, 400, JSON.stringify(sent).slice(0, 80));
    assert.deepEqual(at.replayed, []);
    const answer = await at.post(path, {...body, resign: true});
    assert.deepEqual(JSON.parse(answer.text), {good: true, message: '200 in 1 ms.', response: ''});
    assert.deepEqual(at.replayed, [{id: idOf(1), target: 'http://localhost:3000/hook', resign: true}]);
  });

  it('reports what is wrong with a target, and what to do about it', async () => {
    await at.close();
    at = await PageClient.open({
      replay: async () => {
        throw new RemitError('GUARD_TARGET', 'evil.example is not on this machine', {
          hint: 'add --allow-external',
        });
      },
    });
    at.log.add({kind: 'delivery', delivery: delivery(1)});
    const said = async (target: string) =>
      JSON.parse((await at.post(`/deliveries/${idOf(1)}/replay`, {target, resign: false})).text) as {
        good: boolean;
        message: string;
      };
    assert.deepEqual(await said('http://evil.example/'), {
      good: false,
      message: 'evil.example is not on this machine: add --allow-external',
      response: '',
    });
    assert.match((await said('')).message, /^type the address to send it to/);
    assert.match((await said('ftp://x')).message, /is not an address to send to: write it like 3000/);
    assert.equal((await at.get(`/deliveries/${idOf(1)}/curl?target=ftp%3A%2F%2Fx`)).status, 400);
  });
});
