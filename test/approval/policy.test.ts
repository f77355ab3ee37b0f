import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {canonicalJson} from '../../src/approval/canonical.ts';
import {
  APPROVAL_NAMESPACE,
  parsePolicy,
  POLICY_NAMESPACE,
  ruleFor,
  ruleText,
} from '../../src/approval/policy.ts';
import {signedPolicy} from '../../src/approval/policy-file.ts';
import {armored, type TestKey, testKey} from './ssh-keys.ts';

const [anna, ben, device] = [testKey(), testKey(), testKey('sk-ssh-ed25519@openssh.com')];
const RULE = '#remit rule currency=USD above=0 approvers=anna,ben quorum=1 expires=72h';
const PEOPLE = [`anna ${anna.line} anna@acme`, `ben ${ben.line}`, `ben ${device.line}`];
const policyOf = (...lines: string[]) => parsePolicy([...lines, ...PEOPLE].join('\n'), 'policy');

describe('approval policies', () => {
  it('are lines of allowed_signers, with rules by currency and total', () => {
    const policy = policyOf(
      '# Who pays',
      RULE,
      RULE.replace('=0', '=1000.00').replace('quorum=1', 'quorum=2'),
    );
    assert.deepEqual(
      [...policy.keys.values()].map(({person}) => person),
      ['anna', 'ben', 'ben'],
    );
    assert.equal(ruleFor(policy, 'USD', 99_999n)?.quorum, 1);
    assert.equal(ruleFor(policy, 'USD', 100_000n)?.quorum, 2);
    assert.equal(ruleFor(policy, 'EUR', 1n), undefined);
    const [first] = policy.rules;
    assert.ok(first !== undefined);
    assert.equal(ruleText(first), 'USD from 0.00: 1 of anna, ben; valid for 72 h');
    const both = `namespaces="${APPROVAL_NAMESPACE},${POLICY_NAMESPACE}"`;
    assert.equal(
      parsePolicy([RULE, `anna ${both} ${anna.line}`, ...PEOPLE.slice(1)].join('\n'), 'p').keys.size,
      3,
    );
  });

  it('are replaced only by approvers of each rule, with such keys as it demands', () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-policy-'));
    const large = '#remit rule currency=USD above=1000.00 approvers=ben quorum=1 expires=72h keys=hardware';
    const old = policyOf(RULE, large);
    const next = join(folder, 'next');
    const text = `${RULE}\n`;
    writeFileSync(next, text);
    const signs = (name: string, key: TestKey) =>
      writeFileSync(`${next}.${name}.sig`, armored(key.sign(text, POLICY_NAMESPACE)));
    signs('anna', anna);
    signs('ben', ben);
    assert.deepEqual(signedPolicy(next, old), {by: [], quorum: 1});
    signs('ben', device);
    assert.deepEqual(signedPolicy(next, old).by.length, 1);
    rmSync(folder, {recursive: true});
  });

  it('are refused as a whole if any line is not understood', () => {
    for (const [lines, why] of [
      [[], /no rule/],
      [['#remit rule'], /line 1: the rule has no currency=/],
      [['#remit rules currency=USD'], /line 1: a line that begins/],
      [['# Remit rules follow'], /line 1/],
      [[RULE.replace('quorum=1', 'quorum=3')], /quorum=3/],
      [[RULE.replace('quorum=1', 'quorum=0')], /quorum=0/],
      [[RULE.replace('anna,ben', 'anna,anna')], /repeated/],
      [[RULE.replace('anna,ben', 'anna,carol')], /carol has no key/],
      [[RULE.replace('expires=72h', 'expires=90d')], /up to 30d/],
      [[RULE.replace('above=0', 'above=5.00')], /no rule for USD with above=0/],
      [[RULE.replace('USD', 'XXQ')], /not a currency/],
      [[`${RULE} keys=soft`], /keys=/],
      [[`${RULE} keys=hardware`], /anna has no hardware key/],
      [[`${RULE} currency=USD`], /repeated/],
      [[RULE, RULE], /two rules/],
      [[RULE, `carol ${anna.line}`], /another line/],
      [[RULE, `car* ${testKey().line}`], /not one name/],
      [[RULE, `carol,dan ${testKey().line}`], /not one name/],
      [[RULE, `carol cert-authority ${testKey().line}`], /not base64|not supported/],
      [[RULE, `carol valid-before="20300101" ${testKey().line}`], /not base64|not supported/],
      [[RULE, 'carol ssh-dss AAAAB3NzaC1kc3M='], /not valid/],
      [[RULE, 'carol'], /carol/],
    ] as const)
      assert.throws(() => policyOf(...lines), {code: 'GUARD_APPROVAL', message: why}, lines.join(' / '));
  });
});

describe('canonical JSON', () => {
  it('sorts members, writes no spaces, and has one form for each value', () => {
    assert.equal(
      canonicalJson({b: [1, null, 'é\n'], a: {'2': '', '10': -1}}),
      '{"a":{"10":-1,"2":""},"b":[1,null,"é\\n"]}',
    );
    assert.throws(() => canonicalJson({a: 1.5}), /canonical/);
  });
});
