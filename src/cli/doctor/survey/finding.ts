import type {ServiceFile} from '../../../service/service-file.ts';

/** `holds`: the service works as remit is configured. `unknown`: the answers show neither; it never counts as `holds`. */
export type FindingVerdict = 'holds' | 'differs' | 'unknown';
export type Area = 'setup' | 'connection' | 'service';

/** The result of one check. */
export interface Finding {
  readonly area: Area;
  /** Name of the check, stable. For the service it is the key in the service file, such as `paging.max`. */
  readonly check: string;
  readonly verdict: FindingVerdict;
  /** What was seen, in a few words. */
  readonly evidence: string;
  /** Row in docs/internals/assumptions.md; absent if the interface document states the fact. */
  readonly row?: number | undefined;
  /** The part to add to the service file. */
  readonly write?: ServiceFile | undefined;
  /** Whether `write` follows from the answers. Otherwise it is a proposal, which `--write` leaves out. */
  readonly sure?: boolean | undefined;
  /** When an uncertain `write` is right: `if PAID means settled`. */
  readonly when?: string | undefined;
  /** How to fix it: a command, or a step in words. */
  readonly fix?: string | undefined;
  /** The check needs an answer that the service did not give. Without it nothing can be called right. */
  readonly isFailed?: boolean | undefined;
}

/** What a finding has besides its check and its evidence. */
export type FindingFacts = Pick<Finding, 'row' | 'write' | 'sure' | 'when' | 'fix' | 'isFailed'>;
type Make = (check: string, evidence: string, facts?: FindingFacts) => Finding;

const made =
  (area: Area, verdict: FindingVerdict): Make =>
  (check, evidence, facts = {}) => ({area, check, verdict, evidence, ...facts});

/** Findings of one area: `service.holds('paging.max', …)`. */
export const findings = (area: Area) => ({
  holds: made(area, 'holds'),
  differs: made(area, 'differs'),
  unknown: made(area, 'unknown'),
});

/** How to fix a difference whose value only a person knows: the line, with a value in place of the right one. */
export const toAdd = (example: ServiceFile): string =>
  `add to the service file, with the right value: ${lineOf(example)}`;

/** Part of a service file as a line to add to it: `"paging": {"max": 25}`. */
export const lineOf = (write: ServiceFile): string =>
  JSON.stringify(write)
    .slice(1, -1)
    .replaceAll(/("(?:[^"\\]|\\.)*")|([:,])/g, (_, text?: string, sign?: string) => text ?? `${sign} `);
