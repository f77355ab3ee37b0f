import assert from 'node:assert/strict';
import {join} from 'node:path';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {Bench} from '../batch/harness.ts';
import {TruthService} from '../batch/truth-service.ts';
import {cleanEnv, shell} from './spawn-cli.ts';

describe('a batch with few files to open', () => {
  for (const limit of [128, 256])
    it(`is run whole with ulimit -n ${limit}`, async function () {
      const bench = new Bench();
      const service = new TruthService();
      service.keepRequests = false;
      service.latencyMs = 60;
      const {baseUrl, close} = await service.listen();
      try {
        const rows = limit * 4;
        const file = bench.payouts(rows);
        const env = cleanEnv({
          REMIT_API_KEY: 'test_few_files',
          REMIT_BASE_URL: baseUrl,
          REMIT_STATE_DIR: join(bench.folder, 'state'),
        });
        const ran = await shell(
          `ulimit -n ${limit} && remit payouts batch run ${file} --batch-id few --yes --json`,
          env,
        );
        assert.equal(ran.code, 0, ran.stderr);
        const summary = JSON.parse(ran.stdout) as Summary;
        assert.deepEqual([summary.accepted, summary.failed_file, service.paid.length], [rows, null, rows]);
        assert.equal(summary.posts, 2 * rows + 1, 'not one had to be sent again');
      } finally {
        await close();
        bench.remove();
      }
    });
});
