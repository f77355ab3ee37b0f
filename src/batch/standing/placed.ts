import {type Kind, KINDS} from '../model/kinds.ts';

/** The beginning of printed commands: `remit payouts batch`. */
export const batchCommand = (kind: Kind): string => `remit ${KINDS[kind].topic} batch`;

/** Flags that printed commands need to find the same records with the same key: those typed for this one. */
export interface Placed {
  /** Flags for commands on the batch. */
  flags: string;
  /** Flags for commands on one of its records: ` -p prod`, or nothing. */
  profile: string;
}

/** `lastProfile`: as typed for the last run of the batch. */
export type Placing = (lastProfile: string | undefined) => Placed;

export const NOWHERE: Placed = {flags: '', profile: ''};
