export interface WaitFlagValues {
  wait?: boolean | undefined;
  until?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
}

export const isStillWaiting = ({wait, until}: WaitFlagValues): boolean =>
  wait === true || until !== undefined;
