import assert from 'node:assert/strict';
import {WaitingJobs, type Job} from '../../../src/webhooks/listen/waiting-jobs.ts';
import {delivery} from '../record/deliveries.ts';

describe('jobs that wait for a target', () => {
  it('come out as they went in, in order, over many parts of the queue', () => {
    const jobs = new WaitingJobs();
    const made = Array.from({length: 300}, (_, number): Job => {
      const body = Buffer.alloc(number * 97, number);
      const {id, eventId, targets, headers} = delivery(number, {targets: ['http://localhost:1/ü']});
      return {delivery: {id, eventId, targets, headers, body}, attempt: number + 1};
    });
    let next = 0;
    for (const [index, job] of made.entries()) {
      jobs.push(job);
      if (index % 3 === 2) assert.deepEqual(jobs.shift(), made[next++]);
    }
    assert.equal(jobs.length, 200);
    while (jobs.length > 0) assert.deepEqual(jobs.shift(), made[next++]);
    assert.equal(jobs.shift(), undefined);
    jobs.push(made[299]!);
    assert.deepEqual(jobs.shift(), made[299]);
  });
});
