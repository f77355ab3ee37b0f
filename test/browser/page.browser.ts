import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import {startSandbox, type RunningSandbox} from '../../src/sandbox/server.ts';
import {openBrowser, type Opened} from './chromium.ts';

const NAUGHTY = `<img src=x onerror="document.title='pwned'"> "'\`& \u202eevil\u202c 水 ${'long-name-'.repeat(12)}`;
const START_MS = Date.parse('2026-03-02T15:00:00Z');
const SHOTS = process.env['REMIT_TEST_SHOTS'];

describe("the sandbox's page in a browser", () => {
  let folder: string;
  let running: RunningSandbox;
  let browser: Opened;
  let page: Page;
  /** Errors on the console, blocked by the policy or not, and exceptions. */
  const complaints: string[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-page-'));
    running = await startSandbox({store: join(folder, 'sandbox.db'), frozenAtMs: START_MS});
    browser = await openBrowser({viewport: {width: 1280, height: 900}});
    page = await browser.context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      // A navigation aborts what the page that it leaves is still loading, such as its icon.
      if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} failed: ${reason}`);
    });
  });
  after(async () => {
    await browser.close();
    await running.close();
    rmSync(folder, {recursive: true, force: true});
  });
  afterEach(() => assert.deepEqual(complaints.splice(0), []));

  const call = async (method: string, path: string, body?: object): Promise<{id: string; status: string}> => {
    const answer = await fetch(`${running.baseUrl}${path}`, {
      method,
      headers: {'x-api-key': running.testKey, 'content-type': 'application/json'},
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return (await answer.json()) as {id: string; status: string};
  };
  const pay = (payee: string, minor: number) =>
    call('POST', '/api/payouts', {payee_id: payee, amount_in_minor_units: minor, auto_approve: true});
  const open = () => page.goto(`${running.baseUrl}${running.sandbox.pageLink().path}`);
  const rowOf = (id: string) => page.getByRole('row').filter({hasText: id});

  it('is closed without a link, shows nothing of the records, and says what opens it', async () => {
    await page.goto(running.baseUrl);
    const text = await page.locator('body').innerText();
    assert.match(text, /remit sandbox open/);
    assert.doesNotMatch(text, /Sandbox Test Company|_sandbox_|Payouts/);
  });

  it('opens by a link, whose code leaves the address', async () => {
    await open();
    assert.equal(page.url(), `${running.baseUrl}/`);
    assert.equal(await page.getByRole('heading', {name: 'Clock'}).count(), 1);
    const [cookie] = await browser.context.cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
    const content = await page.content();
    for (const {key} of await running.sandbox.keys()) assert.ok(!content.includes(key), 'a key in full');
    assert.ok(!content.includes(running.controlToken), 'the control token');
    assert.ok(content.includes(`…${running.testKey.slice(-4)}`));
  });

  it('shows the payout that the API just made, and, once the clock was moved, that it settled', async () => {
    await call('POST', '/api/webhooks/endpoints', {
      url: 'https://localhost:9/a/long/path/to/the/receiver/of/events?secret=in-the-query', // nothing listens there
      event_types: ['payout.settled'],
    });
    const [payee] = (await running.sandbox.seed({payees: 1, payers: 0})).payees;
    const {id} = await pay(payee!.id, 12_500);
    await page.getByRole('link', {name: 'Reload'}).click();
    assert.match(await rowOf(id).first().innerText(), /initiated[\s\S]*125\.00 USD/);
    await page.getByRole('button', {name: '1 hour'}).click();
    await page.getByRole('status').waitFor();
    assert.match(
      await page.getByRole('status').innerText(),
      /It is now 2026-03-02 16:00:00 UTC; \d+ scheduled steps happened/,
    );
    assert.match(await rowOf(id).first().innerText(), /settled/);
    assert.equal((await call('GET', `/api/payouts/${id}`)).status, 'settled');
    const delivery = page.getByRole('row').filter({hasText: 'payout.settled'});
    assert.match(await delivery.innerText(), /pending[\s\S]*https:\/\/localhost:9\/a\/long/);
    assert.doesNotMatch(await page.content(), /in-the-query/);
    await page.reload();
    assert.equal(await page.getByRole('status').count(), 0, 'the notice is shown once');
  });

  it('moves the clock to what is next, by a day, until nothing is left, and changes how it runs', async () => {
    const press = async (name: string) => {
      await page.getByRole('button', {name}).click();
      return page.getByRole('status').innerText();
    };
    assert.match(await press('To the next event'), /now 2026-03-02 .* UTC;/);
    assert.match(await press('1 day'), /2026-03-03 /);
    assert.match(await press('Until idle'), /Nothing is scheduled any more/);
    assert.match(await press('One minute per second'), /60 times/);
    assert.equal((await running.sandbox.clock()).mode, 'accelerated');
    assert.match(await press('Real time'), /real time/);
    assert.match(await press('Frozen'), /is frozen/);
    assert.equal(await page.getByRole('button', {name: 'Frozen'}).getAttribute('aria-pressed'), 'true');
  });

  it('shows naughty names as they are, and runs nothing of them', async () => {
    const payee = await call('POST', '/api/payees', {name: NAUGHTY.slice(0, 200)});
    const method = await call('POST', `/api/payees/${payee.id}/payment-methods`, {
      type: 'bank_account',
      country_code: 'US',
      currency_code: 'USD',
      bank_account: {
        account_number: '000123456789',
        routing_number: '110000000',
        account_type: 'checking',
        holder_name: 'Elm Works',
      },
    });
    await running.sandbox.advance({until: 'idle'});
    await call('POST', `/api/payees/${payee.id}/payment-methods/${method.id}/set-default`, {});
    const {id} = await pay(payee.id, 1);
    await page.reload();
    assert.match(await rowOf(id).first().innerText(), /<img src=x onerror=/);
    assert.equal(await page.locator('img').count(), 0);
    assert.notEqual(await page.title(), 'pwned');
  });

  it('opens rows by keyboard, simulates and sends again, and keeps the focus', async () => {
    const focused = () => page.evaluate('document.activeElement.id');
    const [payee] = (await running.sandbox.seed({payees: 1, payers: 0})).payees;
    const {id} = await pay(payee!.id, 700);
    await page.goto(running.baseUrl);
    await page.locator(`[id="row-payout.${id}"]`).focus();
    await page.keyboard.press('Enter');
    await page.locator('tr.details').waitFor();
    assert.equal(await focused(), `row-payout.${id}`);
    await page.getByRole('button', {name: 'Debit'}).press('Enter');
    await page.getByRole('status').waitFor();
    assert.match(await page.getByRole('status').innerText(), /The payout is debited/);
    await page.getByRole('button', {name: 'Fail'}).press('Enter');
    await page.locator('dt', {hasText: 'Failure'}).waitFor();
    assert.match(await rowOf(id).first().innerText(), /failed/);
    assert.ok(await page.getByRole('status').isVisible());
    await page.locator(`[id="row-payout.${id}"]`).press('Enter');
    await page.waitForURL(/\?at=/);
    assert.equal(await focused(), `row-payout.${id}`);
    await page.getByText('payout.settled').first().waitFor();
    const [delivery] = await running.sandbox.deliveries.list({limit: 1});
    await page.locator(`[id="row-delivery.${delivery!.id}"]`).press('Enter');
    await page.getByRole('button', {name: 'Send again'}).press('Enter');
    await page.getByRole('status').waitFor();
    assert.match(await page.getByRole('status').innerText(), /Sent again .*; it failed/);
    assert.equal(await focused(), 'redeliver');
    assert.match(await page.locator('tr.details pre').innerText(), /^\{"id":"/);
  });

  it('updates by itself, and keeps the focus', async () => {
    await page.goto(running.baseUrl);
    const [payee] = (await running.sandbox.seed({payees: 1, payers: 0})).payees;
    await page.getByRole('button', {name: '1 day'}).focus();
    const {id} = await pay(payee!.id, 900);
    await page.locator(`[id="row-payout.${id}"]`).waitFor();
    await running.sandbox.simulate({kind: 'payout', id, outcome: 'settle'});
    await page.getByRole('row').filter({hasText: id}).filter({hasText: 'settled'}).waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'clock-1d');
    const toggle = page.locator(`[id="row-payout.${id}"]`);
    await toggle.focus();
    const other = await pay(payee!.id, 901);
    await page.locator(`[id="row-payout.${other.id}"]`).waitFor(); // the list with the focus was replaced
    assert.equal(await page.evaluate('document.activeElement.id'), `row-payout.${id}`);
  });

  it('works without JavaScript and by keyboard', async () => {
    const plain = await openBrowser({javaScriptEnabled: false});
    try {
      const other = await plain.context.newPage();
      await other.goto(`${running.baseUrl}${running.sandbox.pageLink().path}`);
      await other.getByRole('button', {name: '1 hour'}).focus();
      await other.keyboard.press('Enter');
      await other.getByRole('status').waitFor();
    } finally {
      await plain.close();
    }
  });

  it('refuses forms and frames of another origin, a foreign host, and a link that was used', async () => {
    const used = running.sandbox.pageLink().path;
    await page.goto(`${running.baseUrl}${used}`);
    const before = (await running.sandbox.clock()).now;
    const attacker = await attackerSite(running.baseUrl);
    try {
      const foreign = await browser.context.newPage(); // with the cookie of the open page
      const sent = foreign.waitForResponse(`${running.baseUrl}/page/clock`);
      await foreign.goto(attacker.url);
      assert.equal((await sent).status(), 403);
      await foreign.goto(`${attacker.url}frame`);
      assert.ok(!(await foreign.frames()[1]?.content())?.includes('Sandbox Test Company'));
      await foreign.close();
    } finally {
      attacker.server.close();
    }
    assert.equal((await running.sandbox.clock()).now, before);
    const again = await browser.context.newPage();
    assert.equal((await again.goto(`${running.baseUrl}${used}`))?.status(), 403);
    await again.close();
  });

  it('is not there under a name that another made lead to this machine', async () => {
    const rebound = await openBrowser({}, ['--host-resolver-rules=MAP evil.example 127.0.0.1']);
    try {
      const other = await rebound.context.newPage();
      const {port} = new URL(running.baseUrl);
      const answer = await other.goto(`http://evil.example:${port}${running.sandbox.pageLink().path}`);
      assert.equal(answer?.status(), 403);
      assert.deepEqual(await rebound.context.cookies(), []);
    } finally {
      await rebound.close();
    }
  });

  it('has one heading of the first rank, landmarks, and a caption on every table', async () => {
    await page.goto(running.baseUrl);
    assert.equal(await page.getByRole('heading', {level: 1}).count(), 1);
    for (const role of ['main', 'banner', 'contentinfo', 'navigation'] as const)
      assert.equal(await page.getByRole(role).count(), 1, role);
    const tables = await page.locator('table').count();
    assert.ok(tables >= 2);
    assert.equal(await page.locator('table > caption').count(), tables);
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
  });

  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 1024, 800, 390])
      it(`fits ${width} pixels, ${scheme}`, async () => {
        await page.setViewportSize({width, height: 900});
        await page.emulateMedia({colorScheme: scheme});
        const [record] = await running.sandbox.deliveries.list({limit: 1});
        await page.goto(`${running.baseUrl}/?show=delivery.${record!.id}`);
        const answer = page.locator('tr.details .tag').first(); // errors of TLS can be very long
        await answer.evaluate((tag: {textContent: string}) => {
          tag.textContent = `${'a long answer '.repeat(20)}${'without:spaces/'.repeat(12)}`;
        });
        const tooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(tooWide, false, 'it scrolls sideways');
        if (SHOTS === undefined) return;
        mkdirSync(SHOTS, {recursive: true});
        await page.screenshot({path: join(SHOTS, `${width}-${scheme}.png`), fullPage: true});
      });
});

/** A page elsewhere on this machine, which posts to the sandbox at once, and another that frames it. */
async function attackerSite(target: string): Promise<{url: string; server: Server}> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      request.url === '/frame'
        ? `<iframe src="${target}/"></iframe>`
        : `<form method="post" action="${target}/page/clock"><input name="advance" value="1d"></form><script>document.forms[0].submit()</script>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server};
}
