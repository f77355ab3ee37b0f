import {Bench} from './harness.ts';
import {TruthService} from './truth-service.ts';

/** A bench on which batch `b1` of that many payouts is planned, and a service to run it against. */
export async function planned(payouts: number): Promise<{bench: Bench; service: TruthService}> {
  const bench = new Bench();
  await bench.plan(bench.payouts(payouts));
  return {bench, service: new TruthService()};
}
