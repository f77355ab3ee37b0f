import assert from 'node:assert/strict';
import fc from 'fast-check';
import {Listing, type ListOptions} from '../../../src/client/reading/listing.ts';
import type {FetchPage} from '../../../src/client/reading/page-reader.ts';
import {RemitError} from '../../../src/errors.ts';

/** A service with `count` items; `serve` says how many a page may hold, whatever was asked for. */
function service(count: number, serve: (limit: number, nth: number) => number = (limit) => limit) {
  const asked: {cursor: string | undefined; limit: number}[] = [];
  const fetch: FetchPage<number> = async ({cursor, limit}) => {
    asked.push({cursor, limit});
    const from = cursor === undefined ? 0 : Number(cursor.slice(1));
    const to = Math.min(count, from + serve(limit, asked.length - 1));
    return {items: range(from, to), nextCursor: to < count ? `c${to}` : undefined};
  };
  return {asked, fetch, list: (options?: ListOptions) => new Listing(fetch, options)};
}

const range = (from: number, to: number) => Array.from({length: to - from}, (_, at) => from + at);

describe('a list', () => {
  it('delivers every item once, in order', async () => {
    const {list, asked} = service(250);
    assert.deepEqual(await list().toArray(), range(0, 250));
    assert.deepEqual(asked, [
      {cursor: undefined, limit: 100},
      {cursor: 'c100', limit: 100},
      {cursor: 'c200', limit: 100},
    ]);
  });

  it('survives pages that are smaller than asked for, and empty ones with a cursor', async () => {
    let nth = 0;
    const pages = [[1, 2], [], [], [3], []];
    const list = new Listing(async () => ({
      items: pages[nth] ?? [],
      nextCursor: nth < 4 ? `c${nth++}` : undefined,
    }));
    assert.deepEqual(await list.toArray(), [1, 2, 3]);
    assert.equal(list.more, false);
  });

  it('requests no page before it is read', async () => {
    const {list, asked} = service(5);
    list();
    assert.equal(asked.length, 0);
  });

  it('begins at a cursor', async () => {
    assert.deepEqual(await service(10).list({cursor: 'c7'}).toArray(), [7, 8, 9]);
  });

  it('of nothing is empty and at its end', async () => {
    const list = service(0).list();
    assert.deepEqual(await list.toArray(), []);
    assert.deepEqual([list.more, list.nextCursor], [false, undefined]);
  });

  it('stops after a maximum number of pages, and names the cursor to continue at', async () => {
    const {list, asked} = service(10, () => 1);
    const items: number[] = [];
    const cut = list({mostPages: 4});
    await assert.rejects(
      async () => {
        for await (const item of cut) items.push(item);
      },
      (error: RemitError) =>
        error.code === 'LIST_CUT' &&
        /4 pages .* continues at the cursor c4 \(.* set paging\.by in the service file/.test(error.message),
    );
    assert.deepEqual([items, asked.length], [[0, 1, 2, 3], 4]);
    assert.deepEqual(await list({cursor: 'c4', mostPages: 6}).toArray(), range(4, 10));
    assert.deepEqual(await list({limit: 4, mostPages: 4}).toArray(), range(0, 4));
  });

  it('notices a long cursor that is repeated', async () => {
    const long = (n: number) => 'x'.repeat(500) + String(n % 3);
    let nth = 0;
    const list = new Listing(async () => ({items: [nth], nextCursor: long(nth++)}));
    await assert.rejects(
      list.toArray(),
      (error) => error instanceof RemitError && error.code === 'CURSOR_REPEATED',
    );
    assert.equal(nth, 4);
  });

  it('stops at a cursor that it saw before, after the items that came with it', async () => {
    for (const cursors of [['a', 'a'], ['a', 'b', 'a'], ['start']]) {
      let nth = 0;
      const list = new Listing(async () => ({items: [nth], nextCursor: cursors[nth++]}), {cursor: 'start'});
      const seen: number[] = [];
      await assert.rejects(
        async () => {
          for await (const item of list) seen.push(item);
        },
        (error) => error instanceof RemitError && error.code === 'CURSOR_REPEATED',
      );
      assert.deepEqual(seen, range(0, cursors.length));
    }
  });

  it('requests the next page of a long list while one is read, and no page of a short one', async () => {
    const {list, asked} = service(10, () => 2);
    const seen: [item: number, asked: number][] = [];
    for await (const item of list()) seen.push([item, asked.length]);
    const requested = [1, 1, 2, 2, 4, 4, 5, 5, 5, 5];
    assert.deepEqual(
      seen,
      requested.map((pages, item) => [item, pages]),
    );
    const limited = service(100, (limit) => Math.min(2, limit));
    await limited.list({limit: 7}).toArray();
    assert.deepEqual(
      limited.asked.map(({limit}) => limit),
      [7, 5, 3, 1],
    );
  });

  it('gives up the page that it requested early if the reader stops', async () => {
    let given: AbortSignal | undefined;
    let unwanted = 0;
    const list = new Listing(async ({cursor = '0', signal}) => {
      if (cursor === '3') {
        given = signal;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        unwanted += 1;
        throw new Error('aborted');
      }
      return {items: [Number(cursor)], nextCursor: String(Number(cursor) + 1)};
    });
    for await (const item of list) if (item === 2) break;
    assert.equal(given?.aborted, true);
    await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection would end the process here
    assert.equal(unwanted, 1);
    assert.deepEqual([list.more, list.nextCursor], [true, '3']);
  });

  it('throws the error of a page that it requested early after the items before it', async () => {
    const items: number[] = [];
    const list = new Listing(async ({cursor = '0'}) => {
      if (cursor === '3') throw new Error('503');
      return {items: [Number(cursor) * 10, Number(cursor) * 10 + 1], nextCursor: String(Number(cursor) + 1)};
    });
    await assert.rejects(async () => {
      for await (const item of list) {
        items.push(item);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }, /503/);
    assert.deepEqual(items, [0, 1, 10, 11, 20, 21]);
    assert.equal(list.nextCursor, '3');
  });

  it('hands on an error of a later page after the items before it', async () => {
    let nth = 0;
    const list = new Listing(async () => {
      if (nth++ > 0) throw new RemitError('UNAVAILABLE', 'x');
      return {items: [1], nextCursor: 'a'};
    });
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const item of list) seen.push(item);
    });
    assert.deepEqual(seen, [1]);
    assert.equal(list.nextCursor, 'a'); // it can go on from there
  });
});

describe('a limit', () => {
  it('asks the last page for what is missing, so that the cursor continues exactly after it', async () => {
    const {list, asked} = service(500);
    const first = list({limit: 150});
    assert.deepEqual(await first.toArray(), range(0, 150));
    assert.deepEqual(
      asked.map(({limit}) => limit),
      [100, 50],
    );
    assert.deepEqual([first.more, first.nextCursor, first.overlap], [true, 'c150', 0]);
    assert.deepEqual(await list({cursor: first.nextCursor, limit: 10}).toArray(), range(150, 160));
  });

  it('is no limit under `all`', async () => {
    assert.equal((await service(130).list({limit: 5, all: true}).toArray()).length, 130);
  });

  it('that ends with the list leaves nothing more', async () => {
    const list = service(20).list({limit: 20});
    await list.toArray();
    assert.equal(list.more, false);
  });

  it('is kept if the service sends more than requested, and the overlap is reported', async () => {
    const {list} = service(50, () => 20);
    const first = list({limit: 25});
    assert.deepEqual(await first.toArray(), range(0, 25));
    assert.deepEqual([first.more, first.nextCursor, first.overlap], [true, 'c20', 5]);
    const second = await list({cursor: first.nextCursor, limit: 10}).toArray();
    assert.deepEqual(second.slice(first.overlap), range(25, 30));
  });

  it('continues without loss or repetition, however pages are cut and reading is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({max: 60}),
        fc.array(fc.integer({min: 0, max: 9}), {minLength: 1, maxLength: 8}),
        fc.array(
          fc.record({
            limit: fc.integer({min: 1, max: 25}),
            pageSize: fc.integer({min: 1, max: 12}),
            stopAfter: fc.integer({min: 1, max: 30}),
          }),
          {minLength: 1, maxLength: 6},
        ),
        async (count, sizes, steps) => {
          // Sizes differ from what was asked for in both directions; at least one moves on.
          const {list} = service(count, (limit, nth) =>
            ((size) => (size === 9 ? limit : size))(sizes[nth % sizes.length]! || 1),
          );
          const got: number[] = [];
          let cursor: string | undefined;
          let skip = 0;
          for (const {limit, pageSize, stopAfter} of [
            ...steps,
            {limit: 1000, pageSize: 100, stopAfter: 1000},
          ]) {
            const listing = list({cursor, limit: limit + skip, pageSize});
            let nth = 0;
            for await (const item of listing) {
              if (nth++ >= skip) got.push(item);
              if (nth >= stopAfter + skip) break;
            }
            if (!listing.more) break;
            cursor = listing.nextCursor;
            skip = listing.overlap;
          }
          assert.deepEqual(got, range(0, count));
        },
      ),
    );
  });

  for (const options of [
    {limit: 0},
    {limit: -1},
    {limit: 1.5},
    {limit: Number.NaN},
    {pageSize: 0},
    {pageSize: 101},
    {pageSize: 2.5},
  ]) {
    it(`is refused as ${JSON.stringify(options)}`, () => {
      assert.throws(
        () => service(1).list(options),
        (error) => error instanceof RemitError && error.code === 'USAGE',
      );
    });
  }
});

describe('pages', () => {
  it('are delivered one by one, cut to the limit', async () => {
    const {list} = service(30, () => 12);
    const whole = [];
    for await (const {items, nextCursor} of list({limit: 20}).pages()) whole.push([items.length, nextCursor]);
    assert.deepEqual(whole, [
      [12, 'c12'],
      [8, 'c12'],
    ]);
  });
});

describe('a list whose end cannot be read', () => {
  const fetch: FetchPage<number> = async ({limit}) => ({
    items: range(0, Math.min(limit, 5)),
    nextCursor: undefined,
    moreBy: ['has_more'],
  });

  it('delivers what came and then fails with the keys that promised more', async () => {
    for (const options of [{}, {limit: 6}]) {
      const delivered: number[] = [];
      const walk = async () => {
        for await (const item of new Listing(fetch, options)) delivered.push(item);
      };
      await assert.rejects(
        walk,
        (error: RemitError) =>
          error.code === 'LIST_CUT' && /has_more/.test(error.message) && error.exitCode === 7,
      );
      assert.deepEqual(delivered, range(0, 5));
    }
  });

  it('is no failure when no more items were asked for, but it is not at its end', async () => {
    const listing = new Listing(fetch, {limit: 5});
    assert.deepEqual(await listing.toArray(), range(0, 5));
    assert.deepEqual([listing.more, listing.nextCursor], [true, undefined]);
  });
});
