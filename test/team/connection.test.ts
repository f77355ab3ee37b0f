import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {readTeamAddress} from '../../src/team/address.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {teamServer} from './team-world.ts';

describe('the database of a team', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(60_000);

  it('takes no statement for done whose wait for the standby was canceled', async () => {
    const db = new TeamDatabase(readTeamAddress((await teamServer()) ?? ''));
    const raise = (level: string) => db.query(`do $$ begin raise ${level} 'canceling wait'; end $$`);
    await raise('notice');
    await assert.rejects(raise('warning'), /the connection was lost/); // 01000, as PostgreSQL reports such a wait
    await raise('notice');
    await db.close();
  });
});
