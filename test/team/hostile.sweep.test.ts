import {describe, it} from 'mocha';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {hostileNetwork, stopAndContinue} from './hostile.ts';
import {killTeam} from './kills.ts';

/** The short form of `npm run long:team`. */
describe('a batch that a team shares', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(240_000);

  it('is paid once, whenever its runners are killed', async () => {
    await killTeam({rows: 120, kills: 4, seed: 1});
    await killTeam({rows: 120, kills: 4, seed: 2, sameMachine: true});
  });

  it('is paid once if a runner that was stopped goes on after another has taken over', async () => {
    await stopAndContinue(104);
  });

  it('is paid once if the network to the database drops, delays and cuts what passes', async () => {
    await hostileNetwork(100);
  });
});
