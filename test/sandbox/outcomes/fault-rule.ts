import type {input} from 'zod';
import type {FaultRule} from '../../../src/sandbox/outcomes/fault-schema.ts';

/** A fault rule as it is written: what has a default may be left out. */
export type FaultRuleInput = input<typeof FaultRule>;
