import assert from 'node:assert/strict';
import {namedDocument, type NamedDocument} from '../../src/approval/approval-files.ts';
import {type ApprovalFacts, Approvals, type MovingRow} from '../../src/approval/approvals.ts';
import {type ApprovalStatement, bytesOf, documentText, type Role} from '../../src/approval/document.ts';
import {APPROVAL_NAMESPACE, parsePolicy} from '../../src/approval/policy.ts';
import {leavesToSign, statementOf, termsOf} from '../../src/approval/statement.ts';
import type {Plan} from '../../src/batch/model/plan-facts.ts';
import {RemitError} from '../../src/errors.ts';
import {testKey, type TestKey} from './ssh-keys.ts';

/** `npm run long:approvals` makes 100,000. */
const FORGERIES = Number(process.env['REMIT_FORGERIES'] ?? 3000);
const NOW = Date.UTC(2026, 10, 30);
const HOUR = 3_600_000;

const keys = {
  anna: testKey(),
  ben: testKey(),
  device: testKey('sk-ssh-ed25519@openssh.com'),
  stranger: testKey(),
};
const RULE = '#remit rule currency=USD above=0 approvers=anna,ben,carl quorum=1 expires=72h';
const LINES = [RULE, `anna ${keys.anna.line}`, `ben ${keys.ben.line}`, `carl ${keys.device.line}`];
const policy = parsePolicy(LINES.join('\n'), 'policy');

const rowOf = (n: number): MovingRow => ({
  reference: `INV-${n}`,
  party: `00000000-0000-4000-8000-00000000000${n}`,
  amount: 1000 * n,
  currency: 'USD',
  rail: n === 2 ? 'wire' : null,
  method: null,
  subaccount: null,
  scheduled: null,
  metadata: n === 3 ? '{"po":"7"}' : null,
  generation: n === 3 ? 1 : 0,
  outcome: {id: `10000000-0000-4000-8000-00000000000${n}`},
});
const rows = [1, 2, 3].map(rowOf);
const plan = {
  ...{kind: 'payout', batchId: 'b', journalId: 'j-1', revision: 2, namespace: 'default'},
  figures: {rows: 3, totals: {USD: '60.00'}},
} as unknown as Plan; // what the terms are made of
const terms = termsOf(plan, {mode: 'live', baseUrl: 'https://a.example', service: {}, policy: policy.sha256});
const facts: ApprovalFacts = {
  ...{terms, policy, makers: ['ben'], events: ['h1', 'h2', 'h3']},
  touched: new Map([['INV-3', 2]]),
};

interface Signing {
  role: Role;
  key: TestKey;
  signed: readonly MovingRow[];
  flags: number;
  change: (statement: ApprovalStatement) => ApprovalStatement;
}

function sign({role, key, signed, flags, change}: Signing): string {
  const leaves = leavesToSign(
    signed.map((row) => ({...row, id: row.outcome?.id ?? null})),
    role,
  );
  const statement = change(
    statementOf(terms, leaves, {
      ...{
        role,
        makers: ['ben'],
        audit: {events: 3, hash: 'h3'},
        nonce: 'n',
        nowMs: NOW,
        expiresMs: 72 * HOUR,
      },
    }),
  );
  const signature = key.sign(bytesOf(statement), APPROVAL_NAMESPACE, {flags});
  return documentText(statement, signature, leaves.rows, leaves.ids);
}

const honest: Signing = {role: 'approver', key: keys.anna, signed: rows, flags: 1, change: (same) => same};
const maker = sign({...honest, role: 'maker', key: keys.ben});
const approval = sign(honest);

/** Which rows a runner would pay with these documents. */
function payable(
  texts: readonly string[],
  runs: Partial<ApprovalFacts> = {},
  now = NOW,
  moving = rows,
): string[] {
  const documents: NamedDocument[] = [];
  try {
    for (const text of texts) documents.push(namedDocument(text, 'an approval'));
  } catch (error) {
    if (error instanceof RemitError && error.code === 'GUARD_APPROVAL') return [];
    throw error;
  }
  const approvals = new Approvals({...facts, ...runs}, documents);
  return moving
    .filter((row) => approvals.missingFor(row, 'release', now) === undefined)
    .map(({reference}) => reference);
}

let seed = 1;
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};
const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;

/** Another value of the same type. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1 + random(5);
  if (Array.isArray(value)) return value.length > 0 && random(2) === 0 ? [] : [...(value as unknown[]), 'x'];
  if (typeof value === 'object' && value !== null) {
    const name = pick(Object.keys(value));
    return {...value, [name]: other((value as Record<string, unknown>)[name])};
  }
  const text = String(value);
  if (/^\d{4}-/.test(text)) return new Date(Date.parse(text) + HOUR * (1 + random(9))).toISOString();
  const at = random(text.length);
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
}

const parts = (text: string) => JSON.parse(text) as Record<string, string>;
const withPart = (text: string, name: string, value: string) =>
  JSON.stringify({...parts(text), [name]: value});
const FIELDS = Object.keys(
  JSON.parse(parts(approval)['statement']!) as object,
) as (keyof ApprovalStatement)[];
/** What an approver may state freely; the signature covers it all the same. */
const FREE: readonly string[] = ['nonce', 'issued', 'expires', 'makers', 'audit'];
const changedField = (statement: ApprovalStatement, name = pick(FIELDS)): ApprovalStatement => ({
  ...statement,
  [name]: other(statement[name]),
});
const CONTENT = [
  'reference',
  'party',
  'amount',
  'currency',
  'rail',
  'method',
  'subaccount',
  'scheduled',
  'metadata',
  'generation',
] as const;
const editedRow = (row: MovingRow): MovingRow => {
  const name = pick(CONTENT);
  return {...row, [name]: name === 'currency' ? 'EUR' : other(row[name] ?? 'x')};
};

/** Each makes one forgery and returns the rows that it would pay. */
const FORGERIES_OF: Readonly<Record<string, () => string[]>> = {
  'a field changed under the signature': () => {
    const statement = JSON.parse(parts(approval)['statement']!) as ApprovalStatement;
    return payable([maker, withPart(approval, 'statement', bytesOf(changedField(statement)))]);
  },
  'a field changed and signed by the maker': () =>
    payable([maker, sign({...honest, key: keys.ben, change: (one) => changedField(one)})]),
  'a field changed and signed by a stranger': () =>
    payable([maker, sign({...honest, key: keys.stranger, change: (one) => changedField(one)})]),
  'for another batch, by an approver': () => {
    const name = pick(FIELDS.filter((field) => !FREE.includes(field)));
    return payable([maker, sign({...honest, change: (one) => changedField(one, name)})]);
  },
  'replayed in another journal, revision or policy': () => {
    const name = pick(Object.keys(terms) as (keyof typeof terms)[]);
    return payable([maker, approval], {terms: {...terms, [name]: other(terms[name])}});
  },
  'of a person whose line was removed': () =>
    payable([maker, approval], {
      policy: parsePolicy(
        LINES.filter((line) => !line.startsWith('anna'))
          .join('\n')
          .replace('anna,', ''),
        'policy',
      ),
    }),
  'own key, without the maker': () => payable([sign({...honest, key: keys.ben})], {makers: []}),
  'own key, with a claim that somebody else made it': () =>
    payable([sign({...honest, role: 'maker', key: keys.stranger}), sign({...honest, key: keys.ben})], {
      makers: [],
    }),
  'an approval alone': () => payable([approval], {makers: []}),
  'two signatures of the maker': () => payable([maker, sign({...honest, role: 'maker', key: keys.anna})]),
  'edited rows': () => payable([maker, approval], {}, NOW, rows.map(editedRow)),
  'edited rows that the maker has signed again': () => {
    const edited = rows.map(editedRow);
    return payable(
      [sign({...honest, role: 'maker', key: keys.ben, signed: edited}), approval],
      {},
      NOW,
      edited,
    );
  },
  'records of other rows': () => {
    const by = 1 + random(2);
    const swapped = rows.map((row, at) => ({...row, outcome: rows[(at + by) % rows.length]!.outcome}));
    return payable([maker, approval], {}, NOW, swapped);
  },
  'another record': () =>
    payable(
      [maker, approval],
      {},
      NOW,
      rows.map((row) => ({...row, outcome: {id: String(other(row.outcome!.id))}})),
    ),
  'hashes of edited rows put into the list': () => {
    const edited = rows.map(editedRow);
    const own = parts(sign({...honest, signed: edited, key: keys.ben}));
    const name = pick(['rows', 'ids']);
    return payable(
      [maker, withPart(approval, name, own[name] === parts(approval)[name] ? '' : own[name]!)],
      {},
      NOW,
      edited,
    );
  },
  'too old, too new or valid for too long': () =>
    pick([
      () => payable([maker, approval], {}, NOW + 72 * HOUR + random(1e9)),
      () => payable([maker, approval], {}, NOW - HOUR - random(1e9)),
      () =>
        payable([
          maker,
          sign({
            ...honest,
            change: (one) => ({...one, expires: new Date(NOW + 72 * HOUR + 1 + random(1e9)).toISOString()}),
          }),
        ]),
    ])(),
  'a device that was not touched': () =>
    payable([maker, sign({...honest, key: keys.device, flags: pick([0, 4])})]),
  'before each row was resolved or retried': () =>
    payable([maker, approval], {touched: new Map(rows.map(({reference}) => [reference, 4 + random(9)]))}),
  'a trail that was changed or cut': () =>
    payable([maker, approval], {events: pick([['h1', 'h2', 'h4'], ['h1', 'h2'], [], ['h0', 'h1', 'h2']])}),
  'one bit of the signature, or of the signed hashes': () => {
    const name = pick(['signature', 'rows', 'ids']);
    const bytes = Buffer.from(parts(approval)[name]!, 'base64');
    const at = random(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << random(8));
    return payable([maker, withPart(approval, name, bytes.toString('base64'))]);
  },
  'one character of the file': () => {
    const at = random(approval.length - 1); // a changed newline at its end changes nothing
    const character = String.fromCharCode(approval.charCodeAt(at) ^ (1 << random(5)));
    return payable([maker, approval.slice(0, at) + character + approval.slice(at + 1)]);
  },
};

describe('forged approvals', () => {
  it('are told from those that hold', () => {
    const all = rows.map(({reference}) => reference);
    assert.deepEqual(payable([maker, approval]), all);
    assert.deepEqual(payable([maker, sign({...honest, key: keys.device})]), all);
    assert.deepEqual(payable([maker, approval], {touched: new Map([['INV-2', 4]])}), ['INV-1', 'INV-3']);
  });

  it('include those of keys that the rule does not take', () => {
    const [byFile, byDevice, withPin] = [
      approval,
      sign({...honest, key: keys.device}),
      sign({...honest, key: keys.device, flags: 5}),
    ];
    for (const [rule, holds] of [
      ['hardware', [false, true, true]],
      ['pin', [false, false, true]],
    ] as const) {
      const lines = LINES.map((line) => line.replace('anna,ben,carl quorum=1', `carl quorum=1 keys=${rule}`));
      const strict = {policy: parsePolicy(lines.join('\n'), 'policy')}; // as if it had been signed for
      assert.deepEqual(
        [byFile, byDevice, withPin].map((text) => payable([maker, text], strict).length === 3),
        holds,
      );
    }
  });

  it(`are never accepted: ${FORGERIES}, of each kind`, function () {
    this.timeout(60_000 + FORGERIES * 20);
    const kinds = Object.entries(FORGERIES_OF);
    for (let n = 0; n < FORGERIES; n++) {
      const [kind, forge] = kinds[n % kinds.length]!;
      const before = seed;
      assert.deepEqual(forge(), [], `${kind}, seed ${before}`);
    }
  });
});
