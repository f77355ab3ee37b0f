// npm run long:processes [-- COUNT]
import {addProfilesAtOnce, killWhileAdding, payAtOnce} from './many-processes.ts';

const count = Number(process.argv[2] ?? 50);
const seconds = async (work: () => Promise<unknown>): Promise<string> => {
  const began = performance.now();
  await work();
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
};

console.log(`${count} profiles add at once: all succeed (${await seconds(() => addProfilesAtOnce(count))})`);
console.log(`${count} payments and lists at once: all succeed (${await seconds(() => payAtOnce(count))})`);
for (let round = 1; round <= 5; round++) {
  const killed = await killWhileAdding(count, () => 50 + Math.random() * 1_500);
  console.log(`${killed} of ${count} profiles add killed: nothing lost, nothing left behind`);
}
