import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import {allOperations} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';

/** Effects as typed. */
export const FAULT_KINDS = [
  'latency',
  'status',
  'reset',
  'cut',
  'slow',
  'non-json',
  'wrong-type',
  'empty',
  'missing-fields',
  'unknown-status',
  'unknown-value',
  'drop',
  'duplicate',
  'reorder',
  'delay',
  'bad-signature',
  'stale-timestamp',
] as const;

export interface FaultFlags {
  operation?: string | undefined;
  method?: string | undefined;
  path?: string | undefined;
  nth?: number | undefined;
  'after-reads'?: number | undefined;
  times?: number | undefined;
  probability?: string | undefined;
  after: boolean;
  status?: number | undefined;
  'retry-after'?: number | undefined;
  delay?: number | undefined;
  jitter?: number | undefined;
  drop?: string | undefined;
  field?: string | undefined;
  value?: string | undefined;
  mode?: 'test' | 'live' | undefined;
  event?: string | undefined;
  endpoint?: string | undefined;
  age?: number | undefined;
}

/** Flags that apply only to some effects. */
const TAKES: Readonly<Record<string, readonly (keyof FaultFlags)[]>> = {
  status: ['after', 'status', 'retry-after'],
  reset: ['after'],
  latency: ['delay', 'jitter'],
  slow: ['delay'],
  'missing-fields': ['drop'],
  'unknown-status': ['value'],
  'unknown-value': ['field', 'value'],
  delay: ['delay', 'jitter'],
  reorder: ['delay'],
  'stale-timestamp': ['age'],
};
const OF_EFFECTS = [...new Set(Object.values(TAKES).flat())];

/** The operations that a command calls, by its id. */
type CommandOperations = Readonly<Record<string, readonly string[]>>;

/** The rule described by the flags, in the form of the control route. @throws {RemitError} USAGE */
export function readFault(kind: string, flags: FaultFlags, commandOperations: CommandOperations): object {
  for (const name of OF_EFFECTS)
    if (flags[name] !== undefined && flags[name] !== false && !TAKES[kind]?.includes(name))
      throw new RemitError('USAGE', `--${name} does not apply to the effect ${kind}`);
  const {method, path, mode, event, endpoint, nth, times, 'after-reads': after_reads} = flags;
  const operation =
    flags.operation === undefined ? undefined : readOperation(flags.operation, commandOperations);
  known('event', event, EVENT_TYPE_NAMES);
  known('method', method?.toUpperCase(), METHODS);
  return {
    match: given({operation, method: method?.toUpperCase(), path, mode, event, endpoint, nth, after_reads}),
    ...given({times, probability: readProbability(flags.probability)}),
    effect: effectOf(kind, flags),
  };
}

const OPERATION_IDS: readonly string[] = allOperations().map(({id}) => id);

/** An operation by its id, or by the name of the command that calls it: `transfers.create`. */
function readOperation(text: string, commandOperations: CommandOperations): string {
  if (OPERATION_IDS.includes(text)) return text;
  const called = commandOperations[text.replaceAll(/[. ]/g, ':')] ?? [];
  const [only] = called;
  if (only !== undefined && called.length === 1) return only;
  const near = called.length > 0 ? called.join(' or ') : nearest(text, OPERATION_IDS);
  throw unknownName('operation', text, near, OPERATION_IDS);
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

/** A rule with an unknown name would never match. */
function known(flag: string, value: string | undefined, names: readonly string[]): void {
  if (value === undefined || names.includes(value)) return;
  throw unknownName(flag, value, nearest(value, names), names);
}

const unknownName = (
  flag: string,
  value: string,
  near: string | undefined,
  names: readonly string[],
): RemitError =>
  new RemitError('USAGE', `--${flag} ${JSON.stringify(value)} is unknown`, {
    hint: near === undefined ? `one of ${names.join(', ')}` : `did you mean --${flag} ${near}?`,
  });

function effectOf(kind: string, flags: FaultFlags): object {
  const when = flags.after ? 'after' : 'before';
  switch (kind) {
    case 'latency':
      return given({kind, ms: flags.delay ?? 1000, jitter_ms: flags.jitter});
    case 'status':
      return given({kind, status: flags.status ?? 503, when, retry_after: flags['retry-after']});
    case 'reset':
      return {kind, when};
    case 'missing-fields':
      return {kind: 'missing_fields', fields: (flags.drop ?? 'id').split(',').map((field) => field.trim())};
    case 'slow':
      return {kind, ms: flags.delay ?? 10_000};
    case 'unknown-status':
      return given({kind: 'unknown_status', value: flags.value});
    case 'unknown-value':
      return given({kind: 'unknown_value', field: flags.field ?? 'rail', value: flags.value});
    case 'delay':
      return given({kind, ms: flags.delay ?? 10_000, jitter_ms: flags.jitter});
    case 'reorder':
      return given({kind, ms: flags.delay});
    case 'stale-timestamp':
      return given({kind: 'stale_timestamp', age_ms: flags.age});
    default:
      return {kind: kind.replace('-', '_')};
  }
}

function readProbability(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^(0?\.\d+|0|1(\.0+)?)$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(value)) return value;
  throw new RemitError('USAGE', `--probability ${JSON.stringify(text)} is not a number from 0 to 1`, {
    hint: 'write it like --probability 0.1',
  });
}

/** Omits undefined values. */
const given = (facts: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
