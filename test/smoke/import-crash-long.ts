// npm run long:import [-- ROWS KILLS SEED]
import {importWithKills} from './import-crash.ts';

const [rows = 5000, kills = 30, seed = 1] = process.argv.slice(2).map(Number);
const end = await importWithKills({rows, kills, seed});
console.log(
  `${rows} payees, ${end.kills} kills, ${end.lost} lost answers: each exists once, or is named (${end.lateDuplicates} late duplicates)`,
);
console.log(
  `${end.starts} processes in ${end.seconds.toFixed(0)} s, peak memory ${end.peakMb.toFixed(0)} MB`,
);
console.log(`${end.searched} files and all screens were searched: no account number`);
