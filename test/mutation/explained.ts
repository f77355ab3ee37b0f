/** A mutation that no test can or should notice, with the reason. `before` and `after` are as the report prints them. */
export interface Explanation {
  file: string;
  before: string;
  after: string;
  reason: string;
}

/** Checked by the run: an explanation whose line is no longer in the source fails it. */
export const EXPLAINED: readonly Explanation[] = [];
