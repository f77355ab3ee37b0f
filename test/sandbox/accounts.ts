import assert from 'node:assert/strict';
import type {TestSandbox} from './harness.ts';

/** Accounts of one entity, and money on them, as a caller gets to them. */
export class Accounts {
  readonly #at: TestSandbox;
  readonly #key: string;
  #payer: Promise<string> | undefined;

  constructor(at: TestSandbox, key = at.sandbox.testKey) {
    this.#at = at;
    this.#key = key;
  }

  /** A new subaccount that holds so much, minor units. It got there by a payin, which takes its time. */
  async subaccount(held = 0): Promise<string> {
    const {body} = await this.#at.post('/api/subaccounts', {name: 'Sub'}, {key: this.#key});
    const id = body.id as string;
    if (held > 0) await this.fill(id, held);
    return id;
  }

  async fill(id: string, amount: number): Promise<void> {
    this.#payer ??= this.#at.ready('payer').then((payer) => payer.id);
    const payin = {subaccount_id: id, amount_in_minor_units: amount, auto_approve: true};
    const {status, body} = await this.#at.payin(await this.#payer, payin);
    assert.equal(status, 201, JSON.stringify(body));
    this.#at.clock.pass(3000);
  }

  /** Minor units. */
  async held(id: string): Promise<number> {
    const {body} = await this.#at.get(`/api/subaccounts/${id}`, {key: this.#key});
    return body.balance_in_minor_units as number;
  }

  /** The ids of the treasury accounts: the main one, then the other. */
  async treasury(): Promise<[string, string]> {
    const {body} = await this.#at.get('/api/treasury/accounts?order=asc', {key: this.#key});
    const [main, other] = (body.data as {id: string}[]).map(({id}) => id);
    return [main!, other!];
  }

  /** What the bank last reported of a treasury account, minor units. */
  async reported(id: string): Promise<{current: number; available: number; as_of: string}> {
    const {status, body} = await this.#at.get(`/api/treasury/accounts/${id}/balance`, {key: this.#key});
    assert.equal(status, 200, JSON.stringify(body));
    return {
      current: body.current_balance_in_minor_units as number,
      available: body.available_balance_in_minor_units as number,
      as_of: body.as_of as string,
    };
  }

  /** The lines that the bank reported, oldest first. */
  async lines(
    id: string,
  ): Promise<{direction: string; amount: number; description: string; posted: string}[]> {
    const path = `/api/treasury/accounts/${id}/transactions?order=asc&limit=100`;
    const {body} = await this.#at.get(path, {key: this.#key});
    return (body.data as Record<string, never>[]).map((line) => ({
      direction: line['direction']!,
      amount: line['amount_in_minor_units']!,
      description: line['description']!,
      posted: line['posted_at']!,
    }));
  }

  /** Every id of a list. */
  async walk(path: string): Promise<string[]> {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const {status, body} = await this.#at.get(`${path}${next}`, {key: this.#key});
      assert.equal(status, 200, JSON.stringify(body));
      seen.push(...(body.data as {id: string}[]).map(({id}) => id));
      cursor = body.next_cursor as string | null;
    } while (cursor !== null);
    return seen;
  }
}

/** The id of the main treasury account, from the answer of its list. */
export function operatingAccount(body: unknown): string {
  const {data} = body as {data: {id: string; label: string}[]};
  const found = data.find(({label}) => label === 'Operating');
  assert.ok(found);
  return found.id;
}
