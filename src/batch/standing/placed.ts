import {type Kind, KINDS} from '../model/kinds.ts';

/** `remit payouts batch`: how printed commands begin. */
export const batchCommand = (kind: Kind): string => `remit ${KINDS[kind].topic} batch`;

/** Flags that printed commands need to find the same records with the same key: those that were typed for this one. */
export interface Placed {
  /** Flags of commands for the batch. */
  flags: string;
  /** Flags of commands for one of its records: ` -p prod`, or nothing. */
  profile: string;
}

/** `lastProfile`: as it was typed for the last run of the batch. */
export type Placing = (lastProfile: string | undefined) => Placed;

export const NOWHERE: Placed = {flags: '', profile: ''};
