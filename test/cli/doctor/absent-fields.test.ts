import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {checkRecords} from '../../../src/cli/doctor/reads/records.ts';
import {findings, type Finding} from '../../../src/cli/doctor/survey/finding.ts';
import type {ServiceSurvey} from '../../../src/cli/doctor/survey/survey.ts';
import {ServiceDraft} from '../../../src/cli/doctor/survey/draft.ts';
import type {OperationId} from '../../../src/contract/operations/operations.ts';
import type {JsonFields} from '../../../src/narrow.ts';

const ID = '0192a000-0000-7000-8000-000000000001';

/** The findings about one record. */
function check(id: OperationId, record: JsonFields): Finding[] {
  const found: Finding[] = [];
  const {holds, differs, unknown} = findings('service');
  const noting =
    (make: typeof holds): typeof holds =>
    (...facts) => {
      const finding = make(...facts);
      found.push(finding);
      return finding;
    };
  const survey = {
    found,
    draft: new ServiceDraft({}),
    holds: noting(holds),
    differs: noting(differs),
    unknown: noting(unknown),
  };
  checkRecords(survey as unknown as ServiceSurvey, id, {wire: [record], canonical: [record]});
  return found;
}
const of = (found: readonly Finding[], name: string) => found.find((one) => one.check === name);

describe('doctor, about fields under other names', () => {
  const OTHER = '0192a000-0000-7000-8000-000000000002';
  const TIME = '2026-01-01T00:00:00Z';
  for (const [id, field, value, names] of [
    ['payouts.list', 'payee_id', OTHER, 'recipient_id beneficiary_id counterparty_id payee'],
    ['payins.list', 'payer_id', OTHER, 'customer_id debtor_id counterparty_id payer'],
    ['payouts.list', 'currency_code', 'USD', 'currency ccy currency_iso'],
    ['payouts.list', 'created_at', TIME, 'created created_time created_on creation_date date_created'],
    ['accountTransfers.list', 'source_account_id', OTHER, 'from_account_id from_id source_id account_id'],
    ['accountTransfers.list', 'destination_account_id', OTHER, 'to_account_id to_id destination_id'],
    ['moves.list', 'source_subaccount_id', OTHER, 'from_subaccount_id from_id source_id source'],
    ['moves.list', 'destination_subaccount_id', OTHER, 'to_subaccount_id to_id destination_id destination'],
  ] as const)
    it(`finds ${field} of ${id}`, () => {
      const [resource] = id.split('.');
      for (const name of names.split(' '))
        assert.deepEqual(
          of(check(id, {id: ID, [name]: value}), `fields.${resource}.${field}`)?.write,
          {fields: {[resource!]: {[field]: name}}},
          name,
        );
    });
});

describe('doctor, about a field inside another object', () => {
  it('keeps the documented name in requests, about which a record says nothing', () => {
    const found = check('payouts.list', {id: ID, payee: {id: ID}});
    assert.deepEqual(of(found, 'fields.payouts.payee_id')?.write, {
      fields: {payouts: {payee_id: 'payee.id'}, 'payouts.create': {payee_id: 'payee_id'}},
    });
    const account = check('treasury.accounts', {id: ID, label: 'Main', balance: {currency: 'USD'}});
    assert.deepEqual(
      of(account, 'fields.treasury.currency_code')?.write?.fields?.['treasury.simulateInboundCredit'],
      {
        currency_code: 'currency_code',
      },
    );
  });
});

describe('doctor, about fields that no record has', () => {
  it('differs without a label, a name, a party, a source, a destination, a flag or a URL', () => {
    const account = check('treasury.accounts', {id: ID, currency_code: 'USD'});
    assert.equal(of(account, 'fields.treasury.label')?.verdict, 'differs');
    assert.match(
      of(account, 'fields.treasury.label')?.fix ?? '',
      /"fields": \{"treasury": \{"label": "name"\}\}/,
    );
    assert.equal(of(account, 'fields.treasury'), undefined, 'what lacks a field does not hold');
    const transfer = check('accountTransfers.list', {
      id: ID,
      amount_in_minor_units: 1,
      currency_code: 'USD',
      status: 'settled',
    });
    for (const field of ['source_account_id', 'destination_account_id'])
      assert.equal(of(transfer, `fields.accountTransfers.${field}`)?.verdict, 'differs', field);
    assert.equal(of(transfer, 'fields.accountTransfers.rail')?.verdict, 'unknown');
  });

  it('proposes the state of an endpoint as its active flag', () => {
    const record = {id: ID, url: 'https://example.com', event_types: [], state: 'ENABLED'};
    const finding = of(check('webhookEndpoints.list', record), 'webhooks.active');
    assert.deepEqual(finding?.write, {webhooks: {active: {field: 'state', on: 'ENABLED', off: 'DISABLED'}}});
    assert.equal(finding?.sure, false);
    const none = of(check('webhookEndpoints.list', {id: ID, url: 'x', event_types: []}), 'webhooks.active');
    assert.match(none?.fix ?? '', /"webhooks": \{"active": "enabled"\}/);
  });

  it('holds for fields that are null', () => {
    const found = check('treasury.accounts', {id: ID, currency_code: 'USD', label: null});
    assert.match(
      of(found, 'fields.treasury')?.evidence ?? '',
      /all fields that remit reads; without a value: label$/,
    );
  });
});
