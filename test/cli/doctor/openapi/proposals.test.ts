import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {joined} from '../../../../src/cli/doctor/survey/draft.ts';
import type {Report} from '../../../../src/cli/doctor/report.ts';
import {checkService, parseServiceFile} from '../../../../src/service/file/parse.ts';
import {readText} from '../../../repo/tree.ts';
import {BASE_URL, runCli, TEST_KEY} from '../../run-cli.ts';
import {randomDocument} from './random-document.ts';

const OWN = readText('docs/reference/openapi.json');

describe('what remit doctor --openapi proposes', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
  let count = 0;

  /** Undefined if the document is refused; every proposal is valid. */
  async function proposed(document: unknown): Promise<Report | undefined> {
    count += 1;
    const [source, place] = [join(folder, `${count}.json`), join(folder, `${count}-service.json`)];
    writeFileSync(source, JSON.stringify(document));
    const ran = await runCli(['doctor', '--openapi', source, '--json', '--write', place], {
      env: {HOME: folder, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    });
    assert.ok([0, 5, 8].includes(ran.exitCode), ran.stderr);
    if (ran.exitCode === 5) return undefined;
    const report = ran.json() as Report;
    assert.deepEqual(parseServiceFile(readFileSync(place, 'utf8'), place), report.service);
    let whole = report.service;
    for (const {check, write, sure} of report.checks) {
      if (write === null) continue;
      if (sure !== true) whole = joined(whole, write);
      checkService(whole, check);
    }
    return report;
  }

  it('passes the validation, for forty random documents', async () => {
    let [refused, leftOut, differing] = [0, 0, 0];
    for (let seed = 1; seed <= 40; seed += 1) {
      const report = await proposed(randomDocument(OWN, seed)).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, {cause: error});
      });
      if (report === undefined) refused += 1;
      if (report?.ok === false) differing += 1;
      if (report?.checks.some(({evidence}) => evidence.includes('not proposed'))) leftOut += 1;
    }
    assert.ok(refused < 20 && differing > 10 && leftOut > 2, JSON.stringify({refused, differing, leftOut}));
  });

  it('leaves out a path that no service file can have, and says why', async () => {
    const report = await proposed(
      JSON.parse(OWN.replaceAll('/api/payouts/{id}/cancel', '/api:v1/payouts/{id}/cancel')),
    );
    const cancel = report!.checks.find(({check}) => check === 'routes.payouts.cancel')!;
    assert.deepEqual([cancel.verdict, cancel.write], ['differs', null]);
    assert.match(cancel.evidence, /not proposed: routes\.payouts\.cancel must be a method and a path/);
  });

  it('leaves out a length of keys that is too short to be unique', async () => {
    const document: unknown = JSON.parse(
      OWN.replace('"maxLength": 255, "pattern": "^[!-~]+$"', '"maxLength": 10'),
    );
    const report = await proposed(document);
    const keys = report!.checks.find(({check}) => check === 'keys')!;
    assert.deepEqual([keys.verdict, keys.write], ['differs', null]);
    assert.match(keys.evidence, /at most 10 characters; not proposed: keys\.maxLength must be/);
  });
});
