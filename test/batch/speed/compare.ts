import {AdaptiveSpeed} from '../../../src/batch/speed/adaptive.ts';
import {MAX_IN_FLIGHT, type Speed} from '../../../src/batch/speed/speed.ts';
import {FixedSpeed} from '../../bench/fixed-speed.ts';
import {AwsCubic, NetflixAimd, VectorArc} from './controllers.ts';
import type {ServiceModel} from './models.ts';
import {simulate, type SimulationResult} from './simulate.ts';

export const SECONDS = 60;

/** The four that set the mark. Their refused rows back off by themselves, as in the clients that use them. */
export const COMPARED: Readonly<Record<string, () => Speed>> = {
  'fixed 64': () => new FixedSpeed(64),
  'Netflix AIMD': () => new NetflixAimd(),
  'Vector ARC': () => new VectorArc(),
  'AWS cubic': () => new AwsCubic(),
};

export const ours = (): AdaptiveSpeed => new AdaptiveSpeed({maxInFlight: MAX_IN_FLIGHT});

export interface Cell extends SimulationResult {
  /** Share of what the service serves at most. A bucket's reserve can take it above 1. */
  goodput: number;
  /** Share of the requests. */
  refusals: number;
}

export function runOurs(model: ServiceModel, seed: number): Cell {
  return cellOf(model, simulate({model, speed: ours(), seed, seconds: SECONDS}));
}

export function runCompared(model: ServiceModel, seed: number): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const [name, make] of Object.entries(COMPARED))
    cells[name] = cellOf(
      model,
      simulate({model, speed: make(), seed, seconds: SECONDS, refusedRow: 'own-backoff'}),
    );
  return cells;
}

export const bestGoodput = (cells: Record<string, Cell>): number =>
  Math.max(...Object.values(cells).map(({goodput}) => goodput));

function cellOf(model: ServiceModel, result: SimulationResult): Cell {
  return {
    ...result,
    goodput: result.served / SECONDS / model.capacityRps,
    refusals: result.refused / result.sent,
  };
}
