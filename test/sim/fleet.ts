import {type ChildProcess, fork} from 'node:child_process';
import type {Delivery, Order} from './main.ts';

/** A range takes seconds; one that takes this long never ends. */
const PATIENCE_MS = 300_000;
/** A process is replaced after so many schedules: what a killed engine leaves in WASM memory is never given back. */
const SCHEDULES_A_PROCESS = 20_000;

export interface FleetOptions {
  /** Path of a bundled simulation. */
  program: string;
  /** Processes beside each other. */
  width: number;
  /** Each process lives thousands of schedules: optimising SQLite's code pays off, a quarter more of them in a second. */
  isLong?: boolean;
  orders: Iterable<Order>;
  /** Returns false when no more orders are wanted. */
  onDelivery: (delivery: Delivery) => boolean;
}

/** Has ranges of schedules lived through, one process for each core. Rejects when a process dies. */
export async function runFleet(options: FleetOptions): Promise<void> {
  const waiting = options.orders[Symbol.iterator]();
  let isOver = false;
  const workers = new Set<Worker>();
  const work = async () => {
    let worker: Worker | undefined;
    for (let next = waiting.next(); next.done !== true && !isOver; next = waiting.next()) {
      if (worker === undefined) workers.add((worker = new Worker(options)));
      const delivery = await worker.deliver(next.value);
      if (!isOver && !options.onDelivery(delivery)) isOver = true;
      if (worker.lived >= SCHEDULES_A_PROCESS || delivery.isHung) {
        worker.end();
        worker = undefined;
      }
    }
  };
  try {
    await Promise.all(Array.from({length: options.width}, work));
  } finally {
    isOver = true;
    for (const worker of workers) worker.end();
  }
}

class Worker {
  readonly #child: ChildProcess;
  lived = 0;

  constructor({program, isLong}: FleetOptions) {
    this.#child = fork(program, [], {
      detached: true, // Ctrl-C is for the parent, which lets them end what they have in hand
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Nobody reads stacks here, and the disk throws many errors; each core has a process of its own that collects its
      // garbage; and optimising SQLite's code takes a second that not even a hundred schedules win back.
      execArgv: [
        ...['--stack-trace-limit=0', '--max-semi-space-size=64', '--single-threaded-gc'],
        ...(isLong ? ['--initial-old-space-size=1000'] : ['--liftoff-only']), // buffers of the disk count as old space
      ],
    });
  }

  deliver(order: Order): Promise<Delivery & {isHung?: boolean}> {
    this.lived += order.count;
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null, signal: string | null) => {
        clearTimeout(patience);
        reject(
          new Error(
            `the process that lived seeds ${order.from} to ${order.from + order.count - 1} ended by ${signal ?? code}`,
          ),
        );
      };
      const patience = setTimeout(() => {
        this.#child.off('exit', onExit);
        resolve({...hung(order), isHung: true});
      }, PATIENCE_MS);
      this.#child.once('exit', onExit);
      this.#child.once('message', (delivery) => {
        clearTimeout(patience);
        this.#child.off('exit', onExit);
        resolve(delivery as Delivery); // all that a child sends
      });
      this.#child.send(order);
    });
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

function hung({from, count}: Order): Delivery {
  const message = `one of the seeds ${from} to ${from + count - 1} has not ended after ${PATIENCE_MS / 1000} s`;
  return {
    ...{from, count, lived: count, counts: undefined, traces: []},
    violations: [{seed: from, invariant: 'hung', message}],
  };
}
