import {killUnderLoad} from './listen-crash.ts';

// npm run crash:listen [-- TIMES]
const times = Number(process.argv[2] ?? 50);
let answered = 0;
for (let time = 1; time <= times; time += 1) {
  const count = await killUnderLoad(50 + Math.random() * 700);
  answered += count;
  console.log(`${time} of ${times}: ${count} answered, all recorded`);
}
console.log(`${times} kills, ${answered} deliveries answered with 2XX, none lost, nothing torn`);
