/**
 * How far a run goes: both phases, only the first, only the second, one request per row, or canceling all records.
 */
export type RunPath = 'stage-and-release' | 'stage-only' | 'release' | 'direct' | 'cancel';
