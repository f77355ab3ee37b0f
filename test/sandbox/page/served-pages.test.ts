import assert from 'node:assert/strict';
import {sandboxOpenApi} from '../../../src/sandbox/control/openapi.ts';
import {TestSandbox} from '../harness.ts';

const PAGES = ['/', '/openapi.json', '/page/icon.svg', '/page/live.js', '/favicon.ico'];

describe('pages of the sandbox', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  const send = (
    path: string,
    init: {method?: string; headers?: Record<string, string>; body?: string} = {},
  ) => at.sandbox.fetch(new Request(`http://localhost${path}`, init));
  /** The cookie of a new session, and the token of its forms. */
  const session = async (): Promise<{cookie: string; form: string}> => {
    const opened = await send(at.sandbox.pageLink().path);
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    const page = await (await send('/', {headers: {cookie}})).text();
    return {cookie, form: /name="form" value="([\w-]+)"/.exec(page)![1]!};
  };
  const press = async (headers: Record<string, string>, body: Record<string, string>, path = '/page/clock') =>
    send(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(new URLSearchParams(body).toString().length),
        ...headers,
      },
      body: new URLSearchParams(body).toString(),
    });
  const now = async () => (await at.sandbox.clock()).now;

  it('forbid foreign and inline scripts, frames, foreign styles and type sniffing, and are not cached', async () => {
    for (const path of PAGES) {
      const {headers, status} = await send(path);
      assert.equal(status, 200, path);
      assert.match(headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
      assert.match(headers.get('content-security-policy')!, /script-src 'self'; connect-src 'self';/);
      assert.doesNotMatch(headers.get('content-security-policy')!, /unsafe/);
      assert.deepEqual(
        ['x-content-type-options', 'referrer-policy', 'cache-control', 'x-frame-options'].map((name) =>
          headers.get(name),
        ),
        ['nosniff', 'same-origin', 'no-store', 'DENY'],
      );
    }
  });

  it('serve the OpenAPI document with their own address, without a key', async () => {
    const answer = await send('/openapi.json');
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(sandboxOpenApi('http://localhost'))));
    const head = await send('/openapi.json', {method: 'HEAD'});
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  it('refuse a foreign host and a foreign origin', async () => {
    const {cookie} = await session();
    for (const headers of [
      {host: 'evil.example'},
      {host: 'localhost.evil.example'},
      {origin: 'http://evil.example'},
      {origin: 'null'},
      {origin: 'https://localhost'},
    ] as Record<string, string>[])
      for (const path of PAGES)
        assert.equal(
          (await send(path, {headers: {cookie, ...headers}})).status,
          403,
          JSON.stringify(headers),
        );
  });

  it('show no records without a session, whatever else is sent', async () => {
    const {sandbox} = at;
    for (const headers of [
      {},
      {'x-api-key': sandbox.testKey},
      {'x-sandbox-token': sandbox.controlToken},
      {cookie: `remit_sandbox_80=${sandbox.controlToken}`},
    ] as Record<string, string>[]) {
      const page = await (await send('/', {headers})).text();
      assert.match(page, /remit sandbox open/);
      assert.doesNotMatch(page, /Company|_sandbox_|name="form"/);
    }
  });

  it('open with a link once, within ten minutes; a HEAD request does not use it up', async () => {
    const {path} = at.sandbox.pageLink();
    assert.equal((await send(path, {method: 'HEAD'})).status, 200);
    const opened = await send(path);
    assert.deepEqual([opened.status, opened.headers.get('location')], [303, '/']);
    assert.match(
      opened.headers.get('set-cookie')!,
      /^remit_sandbox_80=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.equal((await send(path)).status, 403);
    const late = at.sandbox.pageLink().path;
    at.clock.pass(10 * 60_000 + 1);
    assert.equal((await send(late)).status, 403);
    assert.equal((await send('/?open=nothing')).status, 403);
  });

  it('move the clock only with their own form', async () => {
    const {cookie, form} = await session();
    const other = await session();
    const origin = 'http://localhost';
    const before = await now();
    const refused: [Record<string, string>, Record<string, string>, number][] = [
      [{cookie, origin}, {advance: '1d'}, 403],
      [{cookie, origin}, {advance: '1d', form: other.form}, 403],
      [{cookie}, {advance: '1d', form}, 403],
      [{cookie, origin: 'http://evil.example'}, {advance: '1d', form}, 403],
      [{cookie, origin, 'sec-fetch-site': 'same-site'}, {advance: '1d', form}, 403],
      [{origin}, {advance: '1d', form}, 403],
      [{origin, 'x-sandbox-token': at.sandbox.controlToken}, {advance: '1d', form}, 403],
      [{cookie, origin}, {advance: '2d', form}, 400],
      [{cookie, origin}, {advance: '1d', mode: 'real', form}, 400],
      [{cookie, origin}, {advance: 'constructor', form}, 400],
      [{cookie, origin, 'content-type': 'text/plain'}, {advance: '1d', form}, 400],
      [{cookie, origin}, {advance: '1d', form, more: 'x'.repeat(2000)}, 400],
    ];
    for (const [headers, body, status] of refused)
      assert.equal(
        (await press(headers, body)).status,
        status,
        JSON.stringify([headers, body]).slice(0, 300),
      );
    assert.equal(await now(), before);
    assert.equal((await press({cookie, origin}, {advance: '1d', form})).status, 303);
    assert.equal(Date.parse(await now()) - Date.parse(before), 86_400_000);
    const page = await (await send('/', {headers: {cookie}})).text();
    assert.match(page, /role="status">It is now \S+ \S+ UTC; 0 scheduled steps happened on the way\./);
  });

  it('do not open the control calls: a session of a page is not valid there', async () => {
    const {cookie} = await session();
    for (const path of ['/sandbox/status', '/sandbox/page-links'])
      assert.equal((await send(path, {headers: {cookie, origin: 'http://localhost'}})).status, 401);
    assert.equal((await at.control('POST', '/sandbox/page-links', {})).status, 201);
  });

  it('show payouts, requests and masked keys', async () => {
    const {id} = await at.ready('payee');
    const payout = await at.payout(id, {amount_in_minor_units: 1_234_567});
    const {cookie} = await session();
    const page = await (await send('/', {headers: {cookie}})).text();
    assert.match(page, /12,345\.67 USD/);
    assert.ok(page.includes(payout.body.id as string));
    assert.ok(page.includes('POST /api/payouts'));
    for (const {key} of await at.sandbox.keys()) {
      assert.ok(!page.includes(key));
      assert.ok(page.includes(`${key.slice(0, 5)}sandbox_…${key.slice(-4)}`));
    }
  });

  const origin = 'http://localhost';
  const textOf = async (path: string, headers: Record<string, string>) =>
    (await send(path, {headers})).text();

  it('open a row to its details, and simulate outcomes of the bank, with the focus kept on the control', async () => {
    const {id: payee} = await at.ready('payee');
    const {body} = await at.payout(payee, {auto_approve: true, metadata: {note: '<b>"&'}});
    const row = `payout.${String(body.id)}`;
    const {cookie, form} = await session();
    const closed = await textOf('/', {cookie});
    assert.match(closed, new RegExp(`href="/\\?show=${row}" aria-expanded="false"`));
    const open = await textOf(`/?show=${row}`, {cookie});
    assert.match(open, new RegExp(`href="/\\?at=${row}" aria-expanded="true" autofocus`));
    assert.match(open, /&#34;note&#34;: &#34;&#60;b&#62;\\&#34;&#38;&#34;/);
    const fail = {form, row, outcome: 'fail', back: `show=${row}`};
    const failed = await press({cookie, origin}, fail, '/page/simulate');
    assert.deepEqual([failed.status, failed.headers.get('location')], [303, `/?show=${row}`]);
    const after = await textOf(`/?show=${row}`, {cookie});
    assert.match(after, /role="status">The payout is failed, with the reason R\d\d\./);
    assert.match(after, /<dt>Failure<\/dt><dd>R\d\d: /);
    assert.doesNotMatch(after, /value="settle"/);
    assert.equal((await press({cookie, origin}, fail, '/page/simulate')).status, 303);
    assert.match(
      await textOf('/', {cookie}),
      /class="notice bad" role="status">Refused: outcome: a payout that is failed/,
    );
    for (const outcome of ['constructor', 'credit', ''])
      await press({cookie, origin}, {...fail, outcome}, '/page/simulate');
    assert.equal((await at.call('GET', `/api/payouts/${String(body.id)}`)).body.status, 'failed');
  });

  it('keep the focus on a control that is still there', async () => {
    const {cookie, form} = await session();
    await press({cookie, origin}, {advance: '1h', form});
    const page = await textOf('/', {cookie});
    assert.match(page, /<button id="clock-1h"[^>]* autofocus>/);
    assert.equal(page.match(/ autofocus/g)?.length, 1);
    assert.doesNotMatch(await textOf('/', {cookie}), / autofocus/, 'once');
  });

  it('take forms of rows only from the page itself', async () => {
    const {cookie, form} = await session();
    const row = 'payout.00000000-0000-4000-8000-000000000001';
    for (const path of ['/page/simulate', '/page/redeliver']) {
      const body = {form, row, outcome: 'settle'};
      assert.equal((await press({cookie}, body, path)).status, 403);
      assert.equal((await press({cookie, origin: 'http://evil.example'}, body, path)).status, 403);
      assert.equal((await press({cookie, origin}, {...body, form: 'x'}, path)).status, 403);
      assert.equal((await press({origin}, body, path)).status, 403);
      assert.equal((await press({cookie, origin}, {...body, row: "payout.1' or 1=1"}, path)).status, 400);
    }
    const gone = await press({cookie, origin}, {form, row, outcome: 'settle'}, '/page/simulate');
    assert.equal(gone.status, 303);
    assert.match(await textOf('/', {cookie}), /Refused: no payout 00000000/);
    const back = await press({cookie, origin}, {form, advance: '1h', back: 'show=https://evil.example'});
    assert.equal(back.headers.get('location'), '/');
  });

  it('update without losing the notice and the focus', async () => {
    const {cookie, form} = await session();
    await press({cookie, origin}, {advance: '1h', form});
    assert.doesNotMatch(await textOf('/', {cookie, 'x-live-update': '1'}), /role="status"| autofocus/);
    assert.match(await textOf('/', {cookie}), /role="status">It is now/);
  });

  it('page through more records than they show, and keep an open one', async () => {
    const {id: payee} = await at.ready('payee');
    const ids: string[] = [];
    for (let n = 0; n < 23; n++) ids.unshift(String((await at.payout(payee)).body.id));
    const {cookie} = await session();
    const shownIn = (page: string) =>
      [...page.matchAll(/id="row-payout\.([\w-]+)"/g)].map((match) => match[1]!);
    const seen: string[] = [];
    let path: string | undefined = '/';
    for (let n = 0; n < 3; n++) {
      const page = await textOf(path!, {cookie});
      seen.push(...shownIn(page));
      path = /id="older-payouts" href="([^"#]+)/.exec(page)?.[1];
      assert.equal(page.includes('id="newest-payouts"'), n > 0);
    }
    assert.deepEqual(seen.slice(0, 23), ids);
    const open = await textOf(`/?show=payout.${ids[22]!}`, {cookie});
    assert.deepEqual(shownIn(open), [...ids.slice(0, 10), ids[22]]);
    assert.match(open, /<h4>Record<\/h4>/);
  });

  it('pass every other path to the API', async () => {
    assert.equal((await at.call('POST', '/', {key: null})).status, 401);
    assert.equal((await at.call('GET', '/openapi', {key: null})).status, 401);
    assert.equal((await send('/page/nothing')).status, 404);
    assert.equal((await send('/page/clock')).status, 404);
  });
});
