/** How far a run goes: both phases, only the first, only the second, or one request a row; or all records are canceled. */
export type RunPath = 'stage-and-release' | 'stage-only' | 'release' | 'direct' | 'cancel';
