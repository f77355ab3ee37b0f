import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import type {Locator, Page} from 'playwright-core';
import {strippedLines} from '../../src/sanitize/harmful.ts';
import type {InspectorOptions, ReplayShown} from '../../src/webhooks/inspector/server.ts';
import {signatureHeaders} from '../../src/webhooks/verify/signature.ts';
import {delivery, forward, idOf} from '../webhooks/record/deliveries.ts';
import {isVeryLong, TEXTS} from '../commands/hostile-texts.ts';
import {activeIn} from '../sanitize/canaries.ts';
import {PageClient} from '../webhooks/inspector/page-client.ts';
import {openBrowser, type Opened} from './chromium.ts';

const SECRET = 'whsec_0123456789abcdef';
const HOSTILE = `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>"'\`& \u202eevil\u202c 水 ${'long-name-'.repeat(12)}`;
/** The console names every answer that is not 2XX, and every connection that fails. */
const FAILED_REQUEST = /^Failed to load resource/;
const SHOTS = process.env['REMIT_TEST_SHOTS'];
const TARGET = 'http://localhost:3000/hook';

describe('the inspector in a browser', () => {
  let at: PageClient;
  let browser: Opened;
  let page: Page;
  /** What the next replay answers; it waits until `finish` is called where that is set. */
  let answer: ReplayShown;
  let finish: Promise<void> | undefined;
  /** Errors on the console, blocked by the policy or not, and exceptions. */
  const complaints: string[] = [];

  before(async () => {
    browser = await openBrowser({viewport: {width: 1280, height: 900}});
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => browser.close());

  beforeEach(async () => {
    answer = {good: true, message: '200 in 1 ms. Still passing.', response: ''};
    finish = undefined;
    at = await PageClient.open({secrets: () => [SECRET], replay});
    page = await browser.context.newPage();
    page.setDefaultTimeout(0); // mocha has one
    page.on('console', (message) => {
      const text = message.text();
      if (['error', 'warning'].includes(message.type()) && !FAILED_REQUEST.test(text)) complaints.push(text);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
  });
  afterEach(async () => {
    await page.close();
    await at.close();
    assert.deepEqual(complaints.splice(0), []);
    assert.deepEqual(at.bugs, []);
  });

  const replay: InspectorOptions['replay'] = async (logged, target, resign) => {
    at.replayed.push({id: logged.delivery.id, target: target.href, resign});
    await finish;
    return answer;
  };
  const add = (number: number, changes?: Parameters<typeof delivery>[1]) =>
    at.log.add({kind: 'delivery', delivery: delivery(number, changes)});
  const open = async () => {
    await page.goto(at.server.url);
    await page.locator('#state.live').waitFor();
    await page.locator('#rows').waitFor();
  };
  const row = (number: number): Locator => page.locator(`#row-${idOf(number)}`);
  const show = async (number: number) => {
    await row(number).click();
    await page.locator(`#delivery[data-id="${idOf(number)}"]`).waitFor();
  };
  const focused = () => page.evaluate<string>('document.activeElement.id');
  const opensOf = () => page.locator('#delivery').getAttribute('data-id');

  it('opens by its address, keeps the token out of the address and out of other tabs', async () => {
    add(1);
    await open();
    assert.equal(page.url(), `${at.origin}/`);
    assert.equal(await page.locator('.row').count(), 1);
    assert.ok(!(await page.content()).includes(at.token));
    assert.deepEqual(await browser.context.cookies(), []);
    await page.reload();
    await row(1).waitFor();
    const other = await browser.context.newPage();
    const wrong = await browser.context.newPage();
    await other.goto(`${at.origin}/`);
    await wrong.goto(`${at.origin}/#open=${'x'.repeat(32)}`);
    for (const tab of [other, wrong]) {
      await tab.getByText('This page is closed').waitFor();
      assert.doesNotMatch(await tab.locator('body').innerText(), /payout|dlv_/);
      await tab.close();
    }
  });

  it('shows deliveries and forwards as they arrive, and keeps the focus', async () => {
    await open();
    assert.match(await page.locator('#rows').innerText(), /No delivery has arrived yet/);
    add(1, {targets: [TARGET]});
    await row(1).focus();
    add(2);
    await row(2).waitFor();
    assert.equal(await focused(), `row-${idOf(1)}`);
    assert.equal(await page.locator('#count').innerText(), '2 deliveries');
    assert.deepEqual(
      await page.evaluate(`[...document.querySelectorAll('.row')].map((row) => row.dataset.id)`),
      [idOf(2), idOf(1)],
    );
    await show(1);
    await page.locator('#target').fill('3000/other');
    at.log.add({kind: 'forward', forward: forward(1, {target: TARGET, status: 503})});
    await page.getByRole('cell', {name: '503'}).waitFor();
    assert.deepEqual([await focused(), await page.locator('#target').inputValue()], ['target', '3000/other']);
  });

  it('works with the keyboard only, and shows the focus', async () => {
    for (const number of [1, 2, 3]) add(number, {targets: [TARGET]});
    add(4, {eventType: 'payin.failed', body: Buffer.from('{}')});
    await open();
    const press = (key: string) => page.keyboard.press(key);
    const isVisible = async () =>
      assert.notEqual(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none');
    await press('/');
    assert.equal(await focused(), 'search');
    await isVisible();
    await page.keyboard.type('settled');
    await row(4).waitFor({state: 'detached'});
    await press('ArrowDown');
    assert.equal(await focused(), `row-${idOf(3)}`);
    await isVisible();
    await press('End');
    assert.equal(await focused(), `row-${idOf(1)}`);
    await press('ArrowUp');
    await press('Enter');
    await page.locator('#delivery').waitFor();
    assert.equal(await opensOf(), idOf(2));
    assert.equal(await focused(), 'delivery-title');
    await press('Tab');
    assert.equal(await focused(), 'target');
    await press('Tab');
    assert.equal(await focused(), 'send');
    await isVisible();
    await press('Enter');
    await page.getByText('Still passing').waitFor();
    assert.equal(await focused(), 'send');
    await press('Tab');
    await press('Enter');
    while (at.replayed.length < 2) await page.waitForTimeout(10);
    assert.deepEqual(at.replayed, [
      {id: idOf(2), target: TARGET, resign: false},
      {id: idOf(2), target: TARGET, resign: true},
    ]);
    await press('Escape');
    await page.locator('#opened').waitFor({state: 'hidden'});
    assert.equal(await focused(), `row-${idOf(2)}`);
    await press('Shift+Tab'); // one stop for the whole list
    assert.equal(await focused(), 'failed');
  });

  it('lists 2,100 deliveries a page at a time, and opens one by its address', async () => {
    for (let number = 1; number <= 2100; number += 1) add(number);
    await open();
    assert.equal(await page.locator('#count').innerText(), '2100 deliveries');
    assert.equal(await page.locator('.row').count(), 100);
    await page.getByRole('button', {name: 'Older'}).click();
    await row(2000).waitFor();
    assert.equal(await focused(), `row-${idOf(2000)}`);
    add(2101);
    await page.waitForTimeout(400);
    assert.ok(await row(2000).isVisible(), 'an older page stays where it is');
    await page.getByRole('button', {name: 'Newest'}).click();
    await row(2101).waitFor();
    await page.locator('#search').fill('e77"');
    await page.getByText('1 of 2101 deliveries').waitFor();
    await page.goto(`${at.origin}/#${idOf(5)}`);
    await page.locator(`#delivery[data-id="${idOf(5)}"]`).waitFor();
  });

  it('filters by type and verdict, and says so when nothing is left', async () => {
    add(1);
    add(2, {verdict: 'rejected', reason: 'mismatch', eventType: null, eventId: null});
    await open();
    await page.getByLabel('Verdict').selectOption('rejected');
    await page.getByText('1 of 2 deliveries').waitFor();
    await page.getByLabel('Type').selectOption('payin.*');
    await page.getByText('No delivery matches the filter').waitFor();
  });

  it('shows the body pretty and raw, the headers, the verdict and its diagnosis', async () => {
    const signed = Buffer.from('{"id":"e1","type":"payout.settled","data":{"amount":12345678901234567890}}');
    const headers = Object.entries(signatureHeaders(SECRET, signed, Date.now()));
    const rejected = {verdict: 'rejected', reason: 'mismatch', eventId: null, eventType: null} as const;
    add(1, {...rejected, headers, body: Buffer.concat([signed, Buffer.from('\r\n')])});
    add(2);
    await open();
    await show(1);
    const text = await page.locator('#delivery').innerText();
    assert.match(text, /Rejected \(mismatch\): the signature does not match/);
    assert.match(text, /It matches if the final newline is removed\./);
    assert.match(text, /X-Webhook-Signature\s+[0-9a-f]{64}/);
    assert.match(text, /12345678901234567890: most programs read/);
    assert.match(text, /CRLF at the end/);
    assert.match(await page.locator('#title-place').innerText(), /payout\.settled \(claimed\)/);
    const pretty = page.getByLabel('Body, pretty');
    const raw = page.getByLabel('Body, raw');
    assert.match(await pretty.innerText(), /^\{\n {2}"id": "e1",/);
    await page.getByRole('button', {name: 'Raw'}).click();
    assert.equal(await raw.textContent(), `${signed.toString()}\\r\n`);
    assert.equal(await pretty.isVisible(), false);
    await show(2);
    assert.ok(await page.getByLabel('Body, raw').isVisible(), 'the choice is kept');
  });

  it('replays once at a time, and shows the outcome and the answer as text', async () => {
    add(1);
    await open();
    await show(1);
    assert.equal(await page.locator('#target').inputValue(), TARGET);
    let go = () => {};
    finish = new Promise((resolve) => (go = resolve));
    answer = {good: false, message: `500 in 1 ms. Regressed. ${HOSTILE}`, response: HOSTILE};
    await page.getByRole('button', {name: 'Replay', exact: true}).click();
    await page.getByText('Sending…').waitFor();
    await page.getByRole('button', {name: 'Re-sign and replay'}).click({force: true}); // it is aria-disabled
    go();
    await page.locator('#outcome.bad').waitFor();
    assert.equal(at.replayed.length, 1);
    assert.equal(await page.locator('#shown').textContent(), HOSTILE);
    assert.equal(await page.locator('#outcome img, #shown img').count(), 0);
  });

  it('copies a curl command', async () => {
    add(1);
    await open();
    await show(1);
    await page.getByRole('button', {name: 'Copy as curl'}).click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(
      copied,
      /^curl -X POST http:\/\/localhost:3000\/hook \\\n {2}-H 'Content-Type: application\/json'/,
    );
    await page.locator('#target').fill('ftp://nowhere');
    await page.getByRole('button', {name: 'Copy as curl'}).click();
    await page.locator('#outcome.bad').waitFor();
  });

  it('shows hostile deliveries as they are, and runs nothing of them', async () => {
    const hostile = {
      ...{eventId: HOSTILE, eventType: HOSTILE, path: `/${HOSTILE}`, secret: HOSTILE},
      headers: [['X-Evil', HOSTILE]] as const,
      targets: [`http://localhost/${HOSTILE}`],
    };
    add(1, {...hostile, body: Buffer.from(JSON.stringify({type: HOSTILE, data: {a_id: HOSTILE}}))});
    add(2, {...hostile, body: Buffer.from(HOSTILE)});
    add(3, {...hostile, body: Buffer.from([0xff, ...Buffer.from(HOSTILE)])});
    at.log.add({
      kind: 'forward',
      forward: forward(1, {target: hostile.targets[0]!, status: null, error: HOSTILE}),
    });
    await open();
    for (const number of [1, 2, 3]) {
      await show(number);
      assert.match(await page.locator('#detail').innerText(), /<img src=x onerror=/);
      assert.equal(await page.locator('img, #panes script, iframe, object').count(), 0);
    }
    assert.equal(await page.title(), 'remit webhooks');
  });

  for (const [kind, text] of Object.entries(TEXTS))
    it(`shows hostile text as it is or escaped, in every place: ${kind}`, async () => {
      const short = isVeryLong(text) ? text.slice(-5000) : text;
      const target = `http://localhost/${short}`;
      const hostile = {
        ...{eventId: short, eventType: short, path: `/${short}`, secret: short, targets: [target]},
        headers: [
          ['X-Evil', short],
          [short, short],
        ] as [string, string][],
      };
      const rejected = {verdict: 'rejected', reason: 'mismatch', eventId: null, eventType: null} as const;
      const name = JSON.stringify(short);
      add(1, {
        ...hostile,
        body: Buffer.from(
          `{"type":${name},"data":{${JSON.stringify(`${short}_id`)}:${name},${name}:1,${name}:9007199254740993}}`,
        ),
      });
      add(2, {...hostile, attempt: 2, duplicateOf: idOf(1), body: Buffer.from(short)});
      add(3, {...hostile, ...rejected, body: Buffer.from(JSON.stringify({type: short}))});
      add(4, {...hostile, body: Buffer.from([0xff, ...Buffer.from(short)])});
      add(5, {...hostile, body: Buffer.from('{"data":{"payout_id":{"toString":1,"valueOf":[[]]}}}')});
      for (const number of [1, 4])
        at.log.add({
          kind: 'forward',
          forward: forward(number, {target, status: null, error: short, gaveUp: number === 4}),
        });
      answer = {good: false, message: '500 in 1 ms. Still failing.', response: strippedLines(short)}; // as the command does
      page.on('request', (request) => {
        if (!request.url().startsWith(at.origin)) complaints.push(`a request of ${request.url()}`);
      });
      await open();
      assert.equal(await page.locator('.row').count(), 5);
      for (const number of [1, 2, 3, 4, 5]) {
        await show(number);
        await page.getByRole('button', {name: 'Replay', exact: true}).click();
        await page.locator('#outcome.bad').waitFor();
        const {words, bodies} = await shownBy(page);
        assert.deepEqual(words.flatMap(activeIn), [], `delivery ${number}`);
        // A body keeps its own lines.
        assert.deepEqual(activeIn(bodies.replaceAll('\n', ' ')), [], `delivery ${number}`);
        assert.equal(await page.locator('img, #panes script, iframe, object').count(), 0);
      }
      assert.equal(await page.title(), 'remit webhooks');
      assert.equal(await page.locator('.row').count(), 5);
    });

  it('answers no other site: requests, forms and frames of another origin get nothing', async () => {
    add(1);
    await open();
    const attacker = await attackerSite(at);
    const foreign = await browser.context.newPage();
    try {
      await foreign.goto(attacker.url);
      await foreign.waitForFunction('window.results && window.results.length === 4');
      assert.deepEqual(await foreign.evaluate('window.results'), ['failed', 'failed', 'failed', 'failed']);
      const sent = foreign.waitForResponse((response) => response.url().endsWith('/replay'));
      await foreign.goto(`${attacker.url}form`);
      assert.equal((await sent).status(), 403);
      await foreign.goto(`${attacker.url}frame`);
      assert.ok(!(await foreign.frames()[1]?.content())?.includes('remit webhooks'));
    } finally {
      await foreign.close();
      attacker.server.close();
    }
    assert.deepEqual(at.replayed, []);
  });

  it('is not there under a name that another site points at this machine', async () => {
    const rebound = await openBrowser({}, ['--host-resolver-rules=MAP evil.example 127.0.0.1']);
    try {
      const other = await rebound.context.newPage();
      const found = await other.goto(`http://evil.example:${at.port}/#open=${at.token}`);
      assert.equal(found?.status(), 403);
    } finally {
      await rebound.close();
    }
  });

  it('says when the command that serves it has ended', async () => {
    add(1);
    await open();
    await at.close();
    await page.getByText('Connection lost').waitFor();
    at = await PageClient.open();
  });

  it('has headings, landmarks, and a label for every field', async () => {
    add(1, {targets: [TARGET]});
    at.log.add({kind: 'forward', forward: forward(1, {target: TARGET})});
    await open();
    await show(1);
    assert.equal(await page.getByRole('heading', {level: 1}).count(), 1);
    for (const role of ['main', 'banner', 'search'] as const)
      assert.equal(await page.getByRole(role).count(), 1, role);
    for (const name of ['Deliveries', 'Delivery'])
      assert.equal(await page.getByRole('region', {name, exact: true}).count(), 1);
    const unnamed = await page.evaluate(
      `[...document.querySelectorAll('input,select')].filter((field) => field.labels.length === 0).length`,
    );
    assert.equal(unnamed, 0);
    const tables = await page.locator('table').count();
    assert.equal(await page.locator('table > caption').count(), tables);
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
  });

  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 1024, 800, 390])
      it(`fits ${width} pixels, ${scheme}`, async () => {
        fill(add);
        at.log.add({kind: 'forward', forward: forward(3, {target: TARGET, status: 500, gaveUp: true})});
        await page.setViewportSize({width, height: 900});
        await page.emulateMedia({colorScheme: scheme});
        await open();
        const check = async (name: string) => {
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name);
          assert.equal(
            await page.evaluate(
              `[...document.querySelectorAll('#panes>section')].some((one) => one.scrollWidth > one.clientWidth)`,
            ),
            false,
            `${name}: a pane scrolls sideways`,
          );
          assert.deepEqual(await faint(page), [], `${name}: text of too little contrast`);
          if (SHOTS === undefined) return;
          mkdirSync(SHOTS, {recursive: true});
          await page.screenshot({
            path: join(SHOTS, `inspector-${width}-${scheme}-${name}.png`),
            fullPage: width <= 900,
          });
        };
        await check('list');
        for (const [number, name] of [
          [3, 'failed'],
          [2, 'rejected'],
          [1, 'hostile'],
        ] as const) {
          await show(number);
          await check(name);
          if (width > 900) continue;
          assert.equal(await page.locator('#list').isVisible(), false);
          await page.getByRole('link', {name: 'Back to the list'}).click();
          await page.locator('#list').waitFor();
          assert.equal(await focused(), `row-${idOf(number)}`);
        }
      });
});

function fill(add: (number: number, changes?: Parameters<typeof delivery>[1]) => void): void {
  const signed = Buffer.from(
    '{"id":"e2","type":"payin.failed","data":{"payin_id":"019b76da-a7ff-7000-9d0c-4f2f6a1b3c5d"}}',
  );
  add(1, {
    eventType: HOSTILE,
    headers: [['X-Evil', HOSTILE]],
    body: Buffer.from(JSON.stringify({[HOSTILE]: HOSTILE})),
  });
  add(2, {
    ...{verdict: 'rejected', reason: 'mismatch', eventId: null, eventType: null},
    headers: Object.entries(signatureHeaders(SECRET, signed, Date.now())),
    body: Buffer.concat([signed, Buffer.from('\n')]),
  });
  add(3, {targets: [TARGET]});
  add(4, {attempt: 2, duplicateOf: idOf(3), eventId: 'e3', filtered: true});
  add(5, {verdict: 'unverified', reason: 'no_signature', eventType: 'subaccount.credit_received'});
}

/** The texts and attributes of a page, and apart from them the bodies and answers that it shows line by line. */
const shownBy = (page: Page): Promise<{words: string[]; bodies: string}> =>
  page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words = [];
    const bodies = [];
    while (texts.nextNode()) {
      const {data, parentElement} = texts.currentNode;
      if (parentElement.closest('script') === null) (parentElement.closest('pre') ? bodies : words).push(data);
    }
    for (const element of document.querySelectorAll('body *'))
      for (const {value} of element.attributes) words.push(value);
    for (const {value} of document.querySelectorAll('input')) words.push(value);
    return {words, bodies: bodies.join('')};
  })()`);

/** Visible texts whose contrast with their background is below 4.5 to 1. */
const faint = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const backOf = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = parse(getComputedStyle(at).backgroundColor);
        if (color.length === 3 || color[3] > 0) return color;
      }
      return [255, 255, 255];
    };
    const found = new Set();
    for (const element of document.querySelectorAll('body *')) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
      if (!own || !element.checkVisibility() || element.closest('.skip, option')) continue;
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(backOf(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) found.add(element.className + ': ' + element.textContent.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
    }
    return [...found];
  })()`);

/** A page elsewhere on this machine that tries to read and to replay, one that posts a form, and one that frames the page. */
async function attackerSite(at: PageClient): Promise<{url: string; server: Server}> {
  const list = JSON.stringify(`${at.origin}/deliveries`);
  const replay = `${at.origin}/deliveries/${idOf(1)}/replay`;
  const token = JSON.stringify(at.token);
  const pages: Record<string, string> = {
    '/': `<script>
      const results = (window.results = []);
      const attempt = (promise) => promise.then(async (answer) => (await answer.text()) || 'failed', () => 'failed').then((text) => results.push(text));
      attempt(fetch(${list}));
      attempt(fetch(${list}, {headers: {'x-remit-token': ${token}}}));
      attempt(fetch(${list}, {mode: 'no-cors'}));
      attempt(fetch(${JSON.stringify(replay)}, {method: 'POST', mode: 'no-cors', body: '{"target":"3000","resign":false}'}));
    </script>`,
    '/form': `<form method="post" enctype="text/plain" action="${replay}"><input name='{"target":"3000","resign":false,"x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
    '/frame': `<iframe src="${at.server.url}"></iframe>`,
  };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(pages[request.url ?? ''] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server};
}
