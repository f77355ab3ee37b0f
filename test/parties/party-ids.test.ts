import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {readPartyIds} from '../../src/parties/party-ids.ts';
import {scratch} from '../cli/run-cli.ts';

const A = '0a000000-0000-4000-8000-00000000000a';
const B = '0a000000-0000-4000-8000-00000000000b';

describe('ids of payees by reference', () => {
  const read = (rows: readonly string[], header = 'reference,payee_id') => {
    const path = join(scratch(), 'ids.csv');
    writeFileSync(path, `${header}\n${rows.join('\n')}\n`);
    return readPartyIds(path, {kind: 'payout', ids: undefined});
  };

  it('has one id for each reference', async () => {
    assert.deepEqual(
      [...(await read([`S-1,${A}`, `S-2,${B}`]))],
      [
        ['S-1', {id: A, isUnusable: false, isPending: false}],
        ['S-2', {id: B, isUnusable: false, isPending: false}],
      ],
    );
  });

  it('knows whose account could not be verified, in any place and case', async () => {
    const found = await read([`FAILED,S-1,${A}`, `pending,S-2,${B}`], 'Verification,Reference,Payee ID');
    assert.deepEqual(
      [...found].map(([reference, {isUnusable}]) => [reference, isUnusable]),
      [
        ['S-1', true],
        ['S-2', false],
      ],
    );
  });

  it('refuses one id for two references, in capitals too', async () => {
    await assert.rejects(
      read([`S-1,${A}`, `S-2,${B}`, `S-3,${A.toUpperCase()}`]),
      /line 4: S-3 has the same payee_id as S-1, so one of them would be paid instead of the other; nothing was sent/,
    );
  });

  it('refuses a reference with two ids', async () => {
    await assert.rejects(read([`S-1,${A}`, `S-1,${B}`]), /line 3: reference S-1 is repeated/);
  });
});
