import assert from 'node:assert/strict';
import {access} from './access.ts';
import {assumed} from './assumed.ts';
import {invented} from './invented.ts';
import {methods} from './methods.ts';
import {moves} from './moves.ts';
import {closeService, gaps, openService, summary, verify} from './suite.ts';
import {ASSUMED} from './statements-assumed.ts';
import {transfers} from './transfers.ts';
import {treasury} from './treasury.ts';
import {webhooks} from './webhooks.ts';
import {readText} from '../repo/tree.ts';

const AREAS = {access, moves, transfers, methods, treasury, webhooks, assumed, invented};

/**
 * The service as its interface document tells it, over HTTP alone: `npm run conformance`. Against another service:
 * REMIT_CONFORMANCE_URL and _KEY (of a test entity), and where they are to be had _LIVE_KEY, _CONTROL_URL and
 * _CONTROL_TOKEN (of a sandbox).
 */
describe('conformance', function () {
  this.timeout(120_000);
  let failed = 0;
  before(openService);
  afterEach(function () {
    if (this.currentTest?.state === 'failed') failed += 1;
  });
  after(async () => {
    await closeService();
    console.log(`\n${summary(failed)}`);
  });

  for (const [name, area] of Object.entries(AREAS)) describe(name, area);
});

describe('conformance statements', () => {
  it('each have a test, or a reason to have none', () => assert.deepEqual(gaps(), []));

  it('cover the rows of the assumptions, and no others', () => {
    const page = readText('docs/internals/assumptions.md');
    const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, row]) => `assumed.${row}`);
    assert.deepEqual(
      ASSUMED.map(({id}) => id),
      rows,
    );
  });

  it('that do not exist have no test', () =>
    assert.throws(() => verify('move.nothing', async () => undefined)));
});
