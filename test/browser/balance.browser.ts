import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {balancePage} from '../../src/output/pages/balance-page.ts';
import {historyOf} from '../output/pages/days.ts';
import {openBrowser, type Opened} from './chromium.ts';

const NAUGHTY = `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script> \u202eevil\u202c ${'long-name-'.repeat(40)}`;
const SHOTS = process.env['REMIT_TEST_SHOTS'];
const balances = (days: number, scale: number) =>
  Array.from({length: days}, (_, i) =>
    Math.round(scale * Math.sin(i / 9) + (scale * ((i * 7919) % 101)) / 200),
  );

const PAGES = {
  month: historyOf(balances(30, 5_000_000)),
  day: historyOf([50_000]),
  years: historyOf(balances(3660, 9e12)),
  naughty: historyOf(balances(14, 70_000), {label: NAUGHTY, service: NAUGHTY, currency: 'KWD', mode: 'live'}),
};

describe('the page of a balance in a browser', () => {
  let folder: string;
  let browser: Opened;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-balance-page-'));
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    rmSync(folder, {recursive: true, force: true});
  });

  for (const [name, history] of Object.entries(PAGES))
    for (const width of [1200, 390])
      for (const colorScheme of ['light', 'dark'] as const)
        it(`fits ${name} into ${width} px, ${colorScheme}, and runs nothing`, async () => {
          const file = join(folder, `${name}.html`);
          writeFileSync(file, balancePage(history));
          const page = await browser.context.newPage();
          const complaints: string[] = [];
          page.on('console', (message) => complaints.push(message.text()));
          page.on('pageerror', (error) => complaints.push(error.message));
          page.on('request', (request) => {
            if (request.url() !== pathToFileURL(file).href) complaints.push(request.url());
          });
          await page.setViewportSize({width, height: 900});
          await page.emulateMedia({colorScheme});
          await page.goto(pathToFileURL(file).href);
          assert.match(await page.title(), /^Balance of /);
          const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate<number>(wide), 0);
          assert.equal(await page.locator('svg:visible').count(), 1);
          const [plot, text] = await Promise.all([
            page.locator('svg:visible path.line').boundingBox(),
            page.locator('svg:visible text').first().boundingBox(),
          ]);
          assert.ok(
            plot !== null && plot.width > width / 2 && plot.x + plot.width <= width,
            JSON.stringify(plot),
          );
          assert.ok(text !== null && text.height > 9, 'labels are readable');
          if (SHOTS !== undefined) {
            mkdirSync(SHOTS, {recursive: true});
            await page.screenshot({path: join(SHOTS, `balance-${name}-${width}-${colorScheme}.png`)});
          }
          await page.close();
          assert.deepEqual(complaints, []);
        });

  it('prints in black on white, with the wide chart', async () => {
    const file = join(folder, 'print.html');
    writeFileSync(file, balancePage(PAGES.month));
    const page = await browser.context.newPage();
    await page.setViewportSize({width: 794, height: 1123});
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await page.goto(pathToFileURL(file).href);
    const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    assert.equal(paper, 'rgb(255, 255, 255)');
    assert.equal(await page.locator('.broad svg').isVisible(), true);
    await page.close();
  });
});
