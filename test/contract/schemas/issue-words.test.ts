import assert from 'node:assert/strict';
import * as z from 'zod';
import {OPERATIONS} from '../../../src/contract/operations/operations.ts';
import {issueWords} from '../../../src/contract/schemas/issue-words.ts';
import {check, SCHEMAS, type SchemaName} from '../../../src/contract/schemas/registry.ts';

describe('what is wrong with a body', () => {
  const payout = {
    payee_id: '018f0000-0000-7000-8000-000000000001',
    amount_in_minor_units: 100,
    currency_code: 'USD',
  };
  const issuesOf = (name: SchemaName, body: unknown) => {
    const checked = check(name, body);
    return checked.ok ? [] : checked.issues.map(({field, issue}) => `${field}: ${issue}`);
  };

  it('is reported in plain words, with the field and how to write it', () => {
    const said = (change: object) => issuesOf('PayoutCreate', {...payout, ...change});
    assert.deepEqual(said({payee_id: 'ada'}), [
      'payee_id: must be an id: a UUID such as 018f0000-0000-7000-8000-000000000001',
    ]);
    assert.deepEqual(said({amount_in_minor_units: 0}), ['amount_in_minor_units: must be at least 1']);
    assert.deepEqual(said({amount_in_minor_units: 1.5}), ['amount_in_minor_units: must be a whole number']);
    assert.deepEqual(said({payee_id: undefined}), ['payee_id: is missing']);
    assert.deepEqual(said({scheduled_date: '2026-02-30'}), [
      'scheduled_date: must be a valid date such as 2026-11-30',
    ]);
    assert.match(said({rail: 'pigeon'})[0]!, /^rail: must be one of .*, not "pigeon"$/);
    assert.deepEqual(said({colour: 'red'}), [': "colour" is an unknown field']);
  });

  it('has the message of the schema, if the schema has one', () => {
    const wordsFor = (schema: z.ZodType, value: unknown) =>
      schema.safeParse(value).error?.issues.map((issue) => issueWords(issue, value));
    const share = z.number().positive('must be above 0').max(3, 'is more than all');
    assert.deepEqual(wordsFor(share, 0), ['must be above 0']); // 0.5 would do: "at least 1" would not be true
    assert.deepEqual(wordsFor(share, 3.5), ['is more than all']);
    assert.deepEqual(wordsFor(z.int().positive(), 0), ['must be at least 1']);
    assert.deepEqual(wordsFor(z.url({protocol: /^https$/, error: 'must be https'}), 'http://a.b'), [
      'must be https',
    ]);
  });

  it('counts characters and entries', () => {
    const wordsFor = (schema: z.ZodType, value: unknown) =>
      schema.safeParse(value).error?.issues.map((issue) => issueWords(issue, value));
    for (const [schema, value, words] of [
      [z.string().min(1), '', 'must not be empty'],
      [z.string().min(2), 'a', 'must have at least 2 characters'],
      [z.string().max(1), 'ab', 'must have at most 1 character'],
      [z.array(z.string()).min(1), [], 'must have at least 1 entry'],
      [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
      [z.set(z.string()).max(0), new Set(['a']), 'must have at most 0 entries'],
      [z.map(z.string(), z.string()).min(1), new Map(), 'must have at least 1 entry'],
      [z.number().min(2), 1, 'must be at least 2'],
      [z.int().lt(5), 5, 'must be at most 4'],
      [z.int().max(5), 6, 'must be at most 5'],
      [z.literal('a'), 'b', 'must be a, not "b"'],
      [z.literal('a'), 'b'.repeat(61), 'must be a'],
      [z.string().startsWith('x'), 'a', 'must begin with x'],
      [z.string().endsWith('x'), 'a', 'has an invalid format'],
      [z.url(), 'a', 'must be a URL'],
      [z.iso.datetime(), 'a', 'must be a time in UTC such as 2026-11-30T12:00:00Z'],
      [z.boolean(), 1, 'must be true or false'],
      [z.string(), 1, 'must be text'],
      [z.number(), 'a', 'must be a number'],
      [z.array(z.string()), 'a', 'must be a list'],
      [z.object({}), 'a', 'must be an object'],
      [z.record(z.string(), z.string()), 'a', 'must be an object'],
    ] as const)
      assert.deepEqual(wordsFor(schema, value), [words]);
  });

  it('has a message for keys and steps that are not allowed', () => {
    const wordsFor = (schema: z.ZodType, value: unknown) =>
      schema.safeParse(value).error?.issues.map((issue) => issueWords(issue, value));
    const words = ['contains a value that is not allowed'];
    assert.deepEqual(wordsFor(z.record(z.string().max(2), z.string()), {long: 'x'}), words);
    assert.deepEqual(wordsFor(z.number().multipleOf(5), 7), words);
    assert.deepEqual(wordsFor(z.map(z.object({}), z.number()), new Map([[{}, 'x']])), words);
  });

  it('distinguishes a union without a match from an unknown kind', () => {
    const wordsFor = (schema: z.ZodType, value: unknown) =>
      schema.safeParse(value).error?.issues.map((issue) => issueWords(issue, value));
    const kinds = z.discriminatedUnion('kind', [
      z.object({kind: z.literal('a')}),
      z.object({kind: z.literal('b')}),
    ]);
    assert.deepEqual(wordsFor(kinds, {kind: 'c'}), ['is of an unknown type']);
    assert.deepEqual(wordsFor(z.union([z.string(), z.boolean()]), 1), [
      'matches none of the allowed formats',
    ]);
  });

  it('distinguishes one unknown field from several', () => {
    assert.deepEqual(issuesOf('PayoutCreate', {...payout, a: 1, b: 2}), [': "a", "b" are unknown fields']);
  });

  it('is never reported with a message of the schema library', () => {
    const odd = [undefined, null, '', 'x', -1, 1.5, 1e20, true, [], [1], {}, {x: 1}];
    const bodies = Object.values(OPERATIONS).flatMap((verbs) =>
      Object.values(verbs).flatMap((operation) =>
        'body' in operation ? [operation.body as SchemaName] : [],
      ),
    );
    for (const name of new Set(bodies)) {
      const schema = SCHEMAS[name] as unknown as {shape?: Record<string, unknown>};
      const fields = Object.keys(schema.shape ?? payout);
      for (const value of odd)
        for (const body of [value, Object.fromEntries(fields.map((field) => [field, value]))])
          for (const words of issuesOf(name, body))
            assert.doesNotMatch(
              words,
              /Invalid|Too (small|big)|expected|received|Unrecognized/,
              `${name}: ${words}`,
            );
    }
  });
});
