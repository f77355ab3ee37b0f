// `npm run bench:team -- ROWS ROUNDS`: one runner on PostgreSQL against the same batch in a folder, in turns.
// `npm run bench:team -- ROWS ROUNDS RUNNERS IN_FLIGHT`: several runners on a service that answers after 50 ms, against one.
import {references, sleep, TeamWorld} from '../team/team-world.ts';

const [rows = 20_000, rounds = 3, runners = 1, inFlight = 32] = process.argv.slice(2).map(Number);

/** Rows per second while all runners send. */
async function several(count: number, ofRows: number, seed: number): Promise<number> {
  const world = await TeamWorld.open({seed});
  world.service.latencyMs = 50;
  const all = references(ofRows);
  await world.run(['plan', world.file('bills.csv', all), '--batch-id', 'bills']);
  const runs = Array.from({length: count}, () =>
    world.start(['run', 'bills', '--yes', '--out', '.', '--max-in-flight', String(inFlight)]),
  );
  const senders = async () => (await world.db.query('select 1 from @.senders')).length;
  while (world.service.posts < 100 || (await senders()) < count - 1) await sleep(50);
  await sleep(3000); // until all of them have found their speed
  const [from, at] = [world.service.posts, performance.now()];
  while (world.service.posts < 1.9 * ofRows) await sleep(20);
  const rate = ((world.service.posts - from) / 2 / (performance.now() - at)) * 1000;
  await Promise.all(runs.map(({ended}) => ended));
  world.assertPaidOnce(all);
  await world.close();
  return rate;
}

const ratios: number[] = [];
for (let round = 1; runners > 1 && round <= rounds; round++) {
  const one = await several(1, Math.ceil(rows / runners), round);
  const more = await several(runners, rows, round);
  console.log(
    `one: ${Math.round(one)} rows/s; ${runners}: ${Math.round(more)} rows/s; ratio ${(more / one).toFixed(2)}`,
  );
}
if (runners > 1) process.exit(0);
for (let round = 1; round <= rounds; round++) {
  const rate = {folder: 0, team: 0};
  for (const kind of round % 2 === 0 ? (['team', 'folder'] as const) : (['folder', 'team'] as const)) {
    const world = await TeamWorld.open({seed: round});
    const machine = world.machine();
    const all = references(rows);
    const place = kind === 'team' ? [] : ['--state-dir', machine];
    await world.run(['plan', world.file('bills.csv', all), '--batch-id', 'bills', ...place], {machine});
    const run = await world.run(['run', 'bills', '--yes', '--debug', '-o', 'json', '--out', '.', ...place], {
      machine,
    });
    const {elapsed_ms: ms} = JSON.parse(run.stdout) as {elapsed_ms: number};
    rate[kind] = (rows / ms) * 1000;
    const statements = Number(/\* (\d+) statements/.exec(run.stderr)?.[1] ?? 0);
    console.log(
      `${kind}: ${Math.round(rate[kind])} rows/s, ${statements} statements (${(statements / rows).toFixed(4)} a row)`,
    );
    world.assertPaidOnce(all);
    await world.close();
  }
  ratios.push(rate.team / rate.folder);
  console.log(`ratio ${(rate.team / rate.folder).toFixed(2)}`);
}
ratios.sort((a, b) => a - b);
console.log(`median ratio ${ratios[Math.floor(ratios.length / 2)]?.toFixed(2)}; at least 0.80 is expected`);
process.exit(0);
