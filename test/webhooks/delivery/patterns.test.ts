import assert from 'node:assert/strict';
import {bodyMatch} from '../../../src/webhooks/delivery/patterns.ts';
import {parseJson} from '../../../src/narrow.ts';

describe('a condition on a body', () => {
  const matches = (text: string, json: string) => bodyMatch(text)(parseJson(json));

  it('compares text, and other values as JSON', () => {
    assert.ok(matches('data.payout_id=5f0c', '{"data":{"payout_id":"5f0c"}}'));
    assert.ok(matches('data.payout_id=12345', '{"data":{"payout_id":12345}}'));
    assert.ok(matches('data.live=true', '{"data":{"live":true}}'));
    assert.ok(!matches('data.payout_id=12345', '{"data":{"payout_id":12346}}'));
    assert.ok(!matches('data.payout_id=12345', '{"data":null}'));
  });

  it('never matches a number that was rounded when it was read', () => {
    const body = '{"data":{"payout_id":9007199254740993}}';
    for (const id of ['9007199254740992', '9007199254740993', '9007199254740994'])
      assert.ok(!matches(`data.payout_id=${id}`, body));
    assert.ok(matches('data.payout_id=9007199254740991', '{"data":{"payout_id":9007199254740991}}'));
  });
});
