import {existsSync} from 'node:fs';
import {openBatch} from '../../batch/open-batch.ts';
import {planBatch, type PlannedBatch, type PlanOptions} from '../../batch/plan.ts';
import type {Issue} from '../../batch/issues.ts';
import {isBatchId, isNamespace} from '../../batch/identity.ts';
import type {Kind} from '../../batch/kinds.ts';
import {DELIMITERS} from '../../batch/csv-records.ts';
import {registryPath, type SeenBefore, seenBefore} from '../../batch/seen-before.ts';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import type {NumberFormat} from '../../money/amount.ts';
import type {LocalContext} from '../context.ts';
import {keepHeapSmall} from './memory.ts';
import {readMapping} from './flags.ts';
import {count, issuesText, revisionText} from './plan-view.ts';

export interface InputFlags {
  'batch-id'?: string | undefined;
  namespace?: string | undefined;
  map?: string[] | undefined;
  'ignore-column'?: string[] | undefined;
  delimiter?: string | undefined;
  'amount-unit'?: string | undefined;
  'number-format'?: string | undefined;
  currency?: string | undefined;
  'valid-only'?: boolean | undefined;
  'allow-cut-input'?: boolean | undefined;
}

const SHOWN_ERRORS = 50;

/** Plans a file as the flags say, shows its errors to people, and tells of rows that are left out. */
export async function planFromFlags(options: {
  kind: Kind;
  file: string;
  stateDir: string;
  flags: InputFlags;
  local: LocalContext;
}): Promise<PlannedBatch> {
  keepHeapSmall();
  const {kind, file, stateDir, flags, local} = options;
  const {out, runtime, clock} = local;
  const batchId = flags['batch-id'];
  if (batchId !== undefined && !isBatchId(batchId))
    throw new RemitError('USAGE', `--batch-id "${batchId}" is not a name`, {
      hint: 'use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
    });
  if (flags.namespace !== undefined && !isNamespace(flags.namespace))
    throw new RemitError('USAGE', `--namespace "${flags.namespace}" is not a name`, {
      hint: 'use up to 64 of a-z, 0-9 and -',
    });
  const planOptions: PlanOptions = {
    kind,
    file,
    stateDir,
    batchId,
    namespace: flags.namespace,
    mapping: readMapping(flags.map),
    ignored: flags['ignore-column'] ?? [],
    delimiter: flags.delimiter === undefined ? undefined : DELIMITERS[flags.delimiter],
    amountUnit: flags['amount-unit'] as 'major' | 'minor' | undefined, // one of the flag's options
    numberFormat: flags['number-format'] as NumberFormat | undefined, // one of the flag's options
    currency: flags.currency,
    validOnly: flags['valid-only'] ?? false,
    allowCutInput: flags['allow-cut-input'] ?? false,
    clock,
    stdin: file === '-' ? runtime.stdin : undefined,
  };
  try {
    const planned = await planBatch(planOptions);
    for (const warning of planned.plan.warnings) out.warn(warning);
    if (planned.errors.length > 0) {
      out.warn(
        `${count(planned.plan.invalidRows, 'row')} with errors ${planned.plan.invalidRows === 1 ? 'is' : 'are'} left out`,
      );
      if (planned.fresh) out.notice(issuesText(planned.errors, planned.errors.length, SHOWN_ERRORS)); // told once
    }
    if (planned.revision !== undefined) out.notice(revisionText(planned.plan.revision, planned.revision));
    return planned;
  } catch (error) {
    if (error instanceof RemitError && error.code === 'CSV_INVALID' && out.forPeople) {
      const {errors, errors_total: total} = (error.details ?? {}) as {
        errors?: Issue[];
        errors_total?: number;
      }; // of planBatch
      if (errors !== undefined) out.notice(issuesText(errors, total ?? errors.length, SHOWN_ERRORS));
    }
    throw error;
  }
}

/** What other batches of the state folder have of a plan, or why nobody can tell: the plan is there all the same. */
export async function lookBefore(wanted: {
  kind: Kind;
  stateDir: string;
  batchId: string;
  clock: Clock;
}): Promise<SeenBefore[] | RemitError> {
  if (!existsSync(registryPath(wanted.stateDir))) return [];
  try {
    const batch = await openBatch({...wanted, purpose: `plan of batch ${wanted.batchId}`, brief: true});
    try {
      return await seenBefore(batch, wanted);
    } finally {
      await batch.close();
    }
  } catch (error) {
    if (error instanceof RemitError) return error;
    throw error;
  }
}
