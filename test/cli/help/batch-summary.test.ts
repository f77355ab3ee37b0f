import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type * as z from 'zod';
import type {SummaryWithReturns} from '../../../src/batch/report/returned.ts';
import type {BatchSummaryOutput} from '../../../src/cli/help/outputs/batch.ts';

type Described = z.input<typeof BatchSummaryOutput>;
/** The fields of A that B does not have; never if there are none. */
type Missing<A, B> = Exclude<keyof A, keyof B>;
/** What commands add to the summary of the engine. */
type Added = 'followed' | 'report_file' | 'runners' | 'late_outcomes' | 'published_at';

describe('the summary of a batch', () => {
  it('is described as the engine declares it', () => {
    // The compiler checks all three: a field on one side only, or of another type, does not compile.
    const isWhole: Missing<SummaryWithReturns, Described> extends never ? true : false = true;
    const isNoMore: Missing<Omit<Described, Added>, SummaryWithReturns> extends never ? true : false = true;
    const hasTypes: SummaryWithReturns extends Omit<Described, Added> ? true : false = true;
    assert.deepEqual([isWhole, isNoMore, hasTypes], [true, true, true]);
  });
});
