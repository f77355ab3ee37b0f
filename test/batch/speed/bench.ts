/*
 * npm run bench:speed [seeds]: the controller against the four it is compared with, on the six services that decide, and
 * alone on others. Simulated, so the figures are the same on any machine; only the last line is measured time.
 */
import {bestGoodput, type Cell, COMPARED, ours, runCompared, runOurs, SECONDS} from './compare.ts';
import {FixedSpeed} from '../../bench/fixed-speed.ts';
import {BUSY, MODELS, OTHERS, UNLIMITED, type ServiceModel} from './models.ts';
import {simulate} from './simulate.ts';

const seeds = Array.from({length: Number(process.argv[2] ?? 5)}, (_, i) => i + 1);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (share: number, digits = 1) => (share * 100).toFixed(digits);
const cell = (cells: readonly Cell[]) =>
  [
    percent(mean(cells.map(({goodput}) => goodput))),
    percent(mean(cells.map(({refusals}) => refusals))),
    Math.round(mean(cells.map(({p99}) => p99))),
  ].join(' / ');
const print = (...cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);

function six(model: ServiceModel): void {
  const compared = seeds.map((seed) => runCompared(model, seed));
  const own = seeds.map((seed) => runOurs(model, seed));
  const shares = own.map(({goodput}, i) => goodput / bestGoodput(compared[i]!));
  print(
    model.name,
    ...Object.keys(COMPARED).map((name) => cell(compared.map((cells) => cells[name]!))),
    cell(own),
    percent(mean(shares)),
    percent(Math.min(...shares)),
  );
}

function ramp(model: ServiceModel): void {
  const shares = seeds.map((seed) => {
    const [fixed, own] = [new FixedSpeed(1024), ours()].map(
      (speed) => simulate({model, speed, seed, seconds: SECONDS}).served,
    );
    return own! / fixed!;
  });
  print(model.name, percent(mean(shares)), percent(Math.min(...shares)));
}

/** The controller alone: one send and one answer are two events. */
function cost(): void {
  const speed = ours();
  const rounds = 2_000_000;
  const sending = {at: 0, inFlight: 512};
  let now = 0;
  const started = performance.now();
  for (let i = 0; i < rounds; i++) {
    now += 0.1;
    if (speed.limit() > 0 && speed.earliest(now) <= now) speed.sent(now, 512);
    sending.at = now - 50;
    if (i % 20_000 === 19_999) speed.refused(now, sending);
    else speed.succeeded(now, sending);
  }
  const ns = ((performance.now() - started) * 1e6) / (2 * rounds);
  console.log(`\nthe controller itself: ${Math.round(ns)} ns an event, measured on this machine`);
}

console.log(
  `goodput, % of what the service serves at most / refusals, % of requests / p99, ms; ${SECONDS} s, mean of ${seeds.length} seeds\n`,
);
print('service', ...Object.keys(COMPARED), 'remit', '% of the best', 'worst seed');
for (const model of MODELS) six(model);
console.log('\nother services, remit alone\n');
print('service', 'remit');
for (const model of OTHERS) print(model.name, cell(seeds.map((seed) => runOurs(model, seed))));
console.log('\nanswers in 60 s, % of what 1,024 in flight from the first request on get\n');
print('service', 'remit', 'worst seed');
ramp(UNLIMITED);
ramp(BUSY);
cost();
