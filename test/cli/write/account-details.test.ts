import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {asRecord} from '../../../src/client/answers/record.ts';
import {accountTransferDetails, moveDetails} from '../../../src/cli/write/details.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {page} from '../../commands/fixtures.ts';
import {reading} from '../guard/reading.ts';
import type {JsonFields} from '../../../src/narrow.ts';

const SOURCE = '0192a000-0000-7000-8000-0000000000a1';
const DESTINATION = '0192a000-0000-7000-8000-0000000000a2';

describe('the confirmation of an account transfer', () => {
  const record = {
    source_account_id: SOURCE.toUpperCase(),
    destination_account_id: DESTINATION,
    status: 'created',
  };
  const details = (accounts: unknown[], of: JsonFields = record) =>
    accountTransferDetails(
      reading({'/api/treasury/accounts': page(accounts)}).context,
      asRecord(of),
      'approve',
    );

  it('names both accounts by label, the status and the effect', async () => {
    const accounts = [
      {id: SOURCE, label: 'Payroll'},
      {id: DESTINATION, label: 'Reserve'},
    ];
    assert.deepEqual(await details(accounts), {
      who: [
        ['from', `Payroll (${SOURCE.toUpperCase()})`],
        ['to', `Reserve (${DESTINATION})`],
      ],
      when: [
        ['status', 'created'],
        ['effect', 'the money moves now'],
      ],
    });
  });

  it('shows the id of an account that has no label or is not listed', async () => {
    const {who} = await details([{id: DESTINATION}]);
    assert.deepEqual(who, [
      ['from', `account ${SOURCE.toUpperCase()}, label unknown`],
      ['to', `account ${DESTINATION}, label unknown`],
    ]);
  });

  it('says which account the record does not name, and leaves out a status it does not have', async () => {
    const {who, when} = await details([], {destination_account_id: DESTINATION});
    assert.deepEqual(who[0], ['from', 'unknown: the record does not name it']);
    assert.deepEqual(when, [['effect', 'the money moves now']]);
  });

  it('continues without labels when they cannot be read, but not after an interruption', async () => {
    const {who} = await accountTransferDetails(reading().context, record, 'wait');
    assert.equal(who[1]![1], `account ${DESTINATION}, label unknown`);
    const stop = new Stop(() => {});
    stop.receive('SIGINT');
    await assert.rejects(accountTransferDetails(reading({}, stop).context, record, 'wait'), {
      code: 'INTERRUPTED',
    });
  });
});

describe('the confirmation of a move', () => {
  it('names both subaccounts, and shows the id of one whose name cannot be read', async () => {
    const {context} = reading({[`/api/subaccounts/${SOURCE}`]: answer(200, {id: SOURCE, name: 'Berlin'})});
    const record = {source_subaccount_id: SOURCE, destination_subaccount_id: DESTINATION};
    assert.deepEqual(await moveDetails(context, record, 'wait'), {
      who: [
        ['from', `Berlin (${SOURCE})`],
        ['to', `subaccount ${DESTINATION}, name unknown`],
      ],
      when: [['effect', 'waits for approval; no money moves yet']],
    });
    assert.deepEqual((await moveDetails(context, {}, 'approve')).who, [
      ['from', 'unknown: the record does not name it'],
      ['to', 'unknown: the record does not name it'],
    ]);
  });
});
