import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {ImportDesk, NUMBERS} from './import-desk.ts';

/** Eight payees, which are more than a page of the list; so many of them have an account in Canada. */
const desk = (topic: string, canadian: number): ImportDesk => {
  const made = new ImportDesk();
  made.topic = topic;
  const rows = NUMBERS.map((number, n) =>
    n < canadian
      ? `S-${n},Supplier ${n},CA,CAD,${number},,003,00011`
      : `S-${n},Supplier ${n},US,USD,${number},021000021,,`,
  );
  const header =
    'reference,name,country,currency,account_number,routing_number,institution_number,transit_number';
  writeFileSync(made.file, `${header}\n${rows.join('\n')}\n`);
  return made;
};

describe('payees import of accounts that no rail supports', () => {
  for (const [topic, canadian, warning] of [
    ['payees', 1, 'supports this payment method (CA), so payouts to it are refused: S-0'],
    ['payees', 3, 'supports 3 of the payment methods (CA), so payouts to them are refused: S-0, S-1, S-2'],
    [
      'payees',
      8,
      'supports 8 of the payment methods (CA), so payouts to them are refused: S-0, S-1, S-2 and 5 more',
    ],
    ['payers', 1, 'supports this payment method (CA), so payins from it are refused: S-0'],
  ] as const)
    it(`warns of ${canadian} of eight ${topic}, also in a second run`, async () => {
      const one = desk(topic, canadian);
      one.parties.unsupported = ['CA'];
      for (let run = 0; run < 2; run++) {
        const {exitCode, stderr} = await one.run();
        assert.equal(exitCode, 0, stderr);
        assert.ok(stderr.includes(`Warning: no rail of the service ${warning}\n`), stderr);
      }
    });

  for (const unsupported of [undefined, ['MX']])
    it(`does not warn if ${unsupported === undefined ? 'no rails are shown' : 'each has a rail'}`, async () => {
      const one = desk('payees', 3);
      one.parties.unsupported = unsupported;
      assert.doesNotMatch((await one.run()).stderr, /no rail/);
    });
});
