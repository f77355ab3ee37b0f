import assert from 'node:assert/strict';
import {addressKind, mayConnect, type AddressKind} from '../../../src/sandbox/webhooks/address-policy.ts';

const CASES: Record<AddressKind, readonly string[]> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    'fd00::1',
    '::ffff:10.0.0.1',
  ],
  special: [
    '0.0.0.0',
    '169.254.169.254',
    '169.254.0.1',
    '192.0.2.7',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '::ffff:0:7f00:1',
    '4000::1',
    '::ffff:169.254.169.254',
    'nonsense',
    '',
  ],
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ],
};

describe('addresses of webhook receivers', () => {
  for (const [kind, addresses] of Object.entries(CASES))
    it(`are classified as ${kind}`, () => {
      for (const address of addresses) assert.equal(addressKind(address), kind, address);
    });

  it('may always be public, loopback or private if allowed, and never special', () => {
    const all = {loopback: true, private: true};
    const none = {loopback: false, private: false};
    assert.deepEqual(
      ['8.8.8.8', '127.0.0.1', '10.0.0.1', '169.254.169.254'].map((address) => [
        mayConnect(address, all),
        mayConnect(address, none),
        mayConnect(address, {loopback: true, private: false}),
      ]),
      [
        [true, true, true],
        [true, false, true],
        [true, false, false],
        [false, false, false],
      ],
    );
  });
});
