import type {ServiceFile} from '../../../service/service-file.ts';

/** `holds`: works as remit is set up. `unknown`: what was read shows neither; it never counts as `holds`. */
export type Verdict = 'holds' | 'differs' | 'unknown';
export type Area = 'setup' | 'connection' | 'service';

/** One thing that was checked. */
export interface Finding {
  readonly area: Area;
  /** Stable; for the service it is the key of the service file, such as `paging.max`. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was seen, in a few words. */
  readonly evidence: string;
  /** Of docs/internals/assumptions.md; absent where the interface document gives the fact. */
  readonly row?: number | undefined;
  /** What to write into the service file. */
  readonly write?: ServiceFile | undefined;
  /** The line follows from what was seen. Others are proposals, and `--write` leaves them out. */
  readonly sure?: boolean | undefined;
  /** How to correct it: a command, or a step in words. */
  readonly fix?: string | undefined;
}

type More = Pick<Finding, 'row' | 'write' | 'sure' | 'fix'>;
type Make = (check: string, evidence: string, more?: More) => Finding;

const made =
  (area: Area, verdict: Verdict): Make =>
  (check, evidence, more = {}) => ({area, check, verdict, evidence, ...more});

/** Findings of one area: `service.holds('paging.max', …)`. */
export const findings = (area: Area) => ({
  holds: made(area, 'holds'),
  differs: made(area, 'differs'),
  unknown: made(area, 'unknown'),
});

/** Part of a service file as the line to write: `"paging": {"max": 25}`. */
export const lineOf = (write: ServiceFile): string =>
  JSON.stringify(write)
    .slice(1, -1)
    .replaceAll(/("(?:[^"\\]|\\.)*")|([:,])/g, (_, text?: string, sign?: string) => text ?? `${sign} `);
