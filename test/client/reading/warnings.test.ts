import assert from 'node:assert/strict';
import {Listing} from '../../../src/client/reading/listing.ts';
import {eachWarningOnce} from '../../../src/client/reading/warnings.ts';

describe('the warnings of a list', () => {
  const reported = (warnings: readonly (readonly [status: number, text: string | undefined])[]) => {
    const found: string[] = [];
    const warn = eachWarningOnce(({status, text}) => found.push(`${status} ${text}`));
    for (const [status, text] of warnings) warn(status, text);
    return found;
  };

  it('are reported once each, and a 207 also without a text', () => {
    assert.deepEqual(
      reported([
        [200, undefined],
        [200, 'late'],
        [207, undefined],
        [200, 'late'],
        [207, 'late'],
        [207, undefined],
      ]),
      ['200 late', '207 undefined', '207 late'],
    );
  });

  it('are at most ten', () => {
    const many = Array.from({length: 12}, (_, at) => [200, String(at)] as const);
    assert.equal(reported(many).length, 10);
  });

  for (const [pages, text] of [
    [['ab', 'bc'], /^the service sent 1 record twice, each is used once/],
    [['abc', 'bcd'], /^the service sent 2 records twice/],
    [['ab', 'cd'], undefined],
  ] as const)
    it(`count the records that came twice: ${pages.join(', ')}`, async () => {
      const warnings: (string | undefined)[] = [];
      let nth = 0;
      const fetch = async () => ({
        items: [...pages[nth]!].map((id) => ({id})),
        nextCursor: ++nth < pages.length ? String(nth) : undefined,
      });
      const onWarning = ({text: found}: {text: string | undefined}) => warnings.push(found);
      const list = new Listing(fetch, {onWarning});
      const items = await list.toArray();
      assert.equal(list.hasMoved, text !== undefined);
      assert.equal(items.map(({id}) => id).join(''), [...new Set(pages.join(''))].join(''));
      assert.equal(warnings.length, text === undefined ? 0 : 1);
      if (text !== undefined) assert.match(warnings[0] ?? '', text);
    });
});
