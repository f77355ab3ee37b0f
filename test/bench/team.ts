// `npm run bench:team -- ROWS ROUNDS`: one runner on PostgreSQL against the same batch in a folder, in turns.
import {references, TeamWorld} from '../team/team-world.ts';

const [rows = 20_000, rounds = 3] = process.argv.slice(2).map(Number);
const ratios: number[] = [];
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
