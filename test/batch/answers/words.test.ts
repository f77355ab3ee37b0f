import assert from 'node:assert/strict';
import {wordsOf} from '../../../src/batch/answers/words.ts';
import type {Answer} from '../../../src/client/answers/answer.ts';

const words = (answer: Omit<Answer, 'json'>) => wordsOf({answer: {json: undefined, ...answer}});

describe('an answer in words', () => {
  it('names what came instead of a record, not only the status of a success', () => {
    assert.equal(words({status: 200, unreadable: {what: 'text/html', bytes: 20}}), '200 with text/html');
    assert.equal(words({status: 200, empty: true}), '200 with an empty body');
  });

  it('is the status, code and message of a refusal, whatever its body', () => {
    assert.equal(words({status: 503, unreadable: {what: 'text/html', bytes: 20}}), '503');
    assert.equal(
      words({status: 503, errorCode: 'SERVICE_UNAVAILABLE', message: 'away'}),
      '503 SERVICE_UNAVAILABLE: away',
    );
  });
});
