import assert from 'node:assert/strict';
import {resolve} from 'node:path';
import {Batches, type PlanOptions} from '../../src/automation/index.ts';

describe('a plan of a file from code', () => {
  const argsOf = async (options: PlanOptions): Promise<unknown> => {
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const program = [process.execPath, '-e', script, '--'];
    return await new Batches({profile: 'acme', program}).plan(options);
  };

  it('names the sheet of a workbook with several', async () => {
    const args = await argsOf({id: 'november', file: 'bills.xlsx', sheet: 'Nov 2026'});
    assert.deepEqual(args, [
      ...['payouts', 'batch', 'plan', resolve('bills.xlsx'), '--sheet=Nov 2026'],
      ...['--batch-id=november', '--profile=acme', '-o', 'json'],
    ]);
  });

  it('names none by default', async () => {
    assert.doesNotMatch(JSON.stringify(await argsOf({id: 'november', file: 'bills.xlsx'})), /--sheet/);
  });
});
