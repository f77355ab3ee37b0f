/** How a service behaves under load: everything that the simulation knows of it. Times in milliseconds. */
export interface ServiceModel {
  name: string;
  /** What it serves at most, in answers a second over the whole run: tables show shares of it. */
  capacityRps: number;
  /** Mean time that a worker spends on a request; log-normal, `spread` is the sigma of its logarithm. */
  latency: {meanMs: number; spread: number};
  /** Requests served at a time, from each point of time on. */
  workers: readonly {fromMs: number; count: number}[];
  /** What happens to a request that finds all workers busy. */
  whenBusy: 'queue' | 'refuse';
  /** Requests admitted a second, from each point of time on, and how many at once after a quiet time. */
  bucket?: {rates: readonly {fromMs: number; rps: number}[]; burst: number};
  /** What a refusal costs its caller: the time to its answer, and the Retry-After in it. It takes no worker. */
  refusal: {afterMs: number; retryAfterMs?: number};
  /** Round trip outside of the service: there a request is in flight for us and not for the service. */
  networkMs?: number;
  /** The machine that we run on: time that an answer takes it, and pauses in which it does nothing, at random times. */
  client?: {answerMs: number; pauseMs: number; everyMs: number};
}

const usual = {meanMs: 50, spread: 0.3};
const cheap = {afterMs: 4};
const always = (count: number) => [{fromMs: 0, count}];
const bucket = (rps: number, burst: number) => ({rates: [{fromMs: 0, rps}], burst});
const queueing = {latency: usual, workers: always(Infinity), whenBusy: 'queue', refusal: cheap} as const;
const refusing = {...queueing, whenBusy: 'refuse'} as const;

/** The six that decide. */
export const MODELS: readonly ServiceModel[] = [
  {...queueing, name: '32 workers, queueing', workers: always(32), capacityRps: 640},
  {...queueing, name: 'token bucket 200 rps', bucket: bucket(200, 20), capacityRps: 200},
  {
    ...queueing,
    name: 'token bucket 20 rps, Retry-After 1 s',
    bucket: bucket(20, 5),
    refusal: {afterMs: 4, retryAfterMs: 1000},
    capacityRps: 20,
  },
  {...refusing, name: 'refuses above 24 in flight', workers: always(24), capacityRps: 480},
  {
    ...queueing,
    name: '5,000 rps, fast',
    latency: {meanMs: 4, spread: 0.3},
    workers: always(20),
    capacityRps: 5000,
  },
  {
    ...queueing,
    name: 'capacity 64, then 16, then 64',
    workers: [
      {fromMs: 0, count: 64},
      {fromMs: 20_000, count: 16},
      {fromMs: 40_000, count: 64},
    ],
    capacityRps: 960, // the mean of 1280, 320 and 1280
  },
];

/** Nothing limits it but the requests in flight, of which 1024 are the most: what a slow start costs. */
export const UNLIMITED: ServiceModel = {...queueing, name: '50 ms, unlimited', capacityRps: 1024 / 0.05};

/** The same where our own machine is the limit, at 10,000 answers a second, and busy with others for a seventh of the time. */
export const BUSY: ServiceModel = {
  ...queueing,
  name: '50 ms, our machine is the limit',
  client: {answerMs: 0.1, pauseMs: 150, everyMs: 1000},
  capacityRps: 10_000 * (1000 / 1150),
};

/** Beyond the six: to see where the controller is weak, not to pass or fail. */
export const OTHERS: readonly ServiceModel[] = [
  {
    ...refusing,
    name: 'refuses above 24, network 10 ms',
    workers: always(24),
    networkMs: 10,
    capacityRps: 480,
  },
  {
    ...refusing,
    name: 'refuses above 24, network 50 ms',
    workers: always(24),
    networkMs: 50,
    capacityRps: 480,
  },
  {
    ...refusing,
    name: 'refuses above 24, Retry-After 1 s',
    workers: always(24),
    refusal: {afterMs: 4, retryAfterMs: 1000},
    capacityRps: 480,
  },
  {
    ...refusing,
    name: 'refuses above 24, then 8, then 24',
    workers: [
      {fromMs: 0, count: 24},
      {fromMs: 20_000, count: 8},
      {fromMs: 40_000, count: 24},
    ],
    capacityRps: (480 + 160 + 480) / 3,
  },
  {...refusing, name: 'refuses above 2 in flight', workers: always(2), capacityRps: 40},
  {...refusing, name: 'refuses above 300 in flight', workers: always(300), capacityRps: 6000},
  {...queueing, name: 'one worker, queueing', workers: always(1), capacityRps: 20},
  {
    ...queueing,
    name: '32 workers, heavy tail',
    latency: {meanMs: 50, spread: 1.2},
    workers: always(32),
    capacityRps: 640,
  },
  {
    ...queueing,
    name: '50 ms, heavy tail, unlimited',
    latency: {meanMs: 50, spread: 1.2},
    capacityRps: 1024 / 0.05,
  },
  {...queueing, name: '500 ms, unlimited', latency: {meanMs: 500, spread: 0.3}, capacityRps: 1024 / 0.5},
  {...queueing, name: 'token bucket 2 rps', bucket: bucket(2, 2), capacityRps: 2},
  {
    ...queueing,
    name: 'token bucket 20 rps, no burst, Retry-After 5 s',
    bucket: bucket(20, 1),
    refusal: {afterMs: 4, retryAfterMs: 5000},
    capacityRps: 20,
  },
  {
    ...queueing,
    name: 'token bucket 200 rps, 500 ms',
    latency: {meanMs: 500, spread: 0.3},
    bucket: bucket(200, 20),
    capacityRps: 200,
  },
  {...queueing, name: 'token bucket 1,000 rps, burst 1,000', bucket: bucket(1000, 1000), capacityRps: 1000},
  {...queueing, name: 'token bucket 5,000 rps, burst 50', bucket: bucket(5000, 50), capacityRps: 5000},
  {
    ...queueing,
    name: 'token bucket 200, then 50, then 200 rps',
    bucket: {
      rates: [
        {fromMs: 0, rps: 200},
        {fromMs: 20_000, rps: 50},
        {fromMs: 40_000, rps: 200},
      ],
      burst: 20,
    },
    capacityRps: 150,
  },
  {
    ...queueing,
    name: 'token bucket 200, then nothing, then 200 rps',
    bucket: {
      rates: [
        {fromMs: 0, rps: 200},
        {fromMs: 20_000, rps: 0},
        {fromMs: 40_000, rps: 200},
      ],
      burst: 20,
    },
    capacityRps: 400 / 3,
  },
];
