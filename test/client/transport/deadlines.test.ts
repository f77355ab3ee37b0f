import assert from 'node:assert/strict';
import {Deadlines, type Timed} from '../../../src/client/transport/deadlines.ts';

describe('deadlines', () => {
  it('are called once each, whatever is added or removed in between', () => {
    const deadlines = new Deadlines();
    const told: number[] = [];
    const members: Timed[] = Array.from({length: 50}, (_, n) => ({
      dueAt: n % 5 === 0 ? 2000 : 1000,
      place: -1,
      onDue: () => {
        told.push(n);
        deadlines.remove(members[n]!);
        if (n === 31) deadlines.remove(members[7]!); // ended by the same event
      },
    }));
    members.forEach((member) => deadlines.add(member));
    deadlines.remove(members[1]!);
    deadlines.remove(members[1]!); // does not affect the deadline that has its slot now
    deadlines.look(999);
    assert.deepEqual(told, []);
    deadlines.look(1000);
    const wanted = members.map((_, n) => n).filter((n) => n % 5 !== 0 && n !== 1 && n !== 7);
    assert.deepEqual(
      told.sort((a, b) => a - b),
      wanted,
    );
    members[5]!.dueAt = 1500;
    deadlines.look(1500);
    assert.deepEqual(told.slice(wanted.length), [5]);
  });
});
