import {
  checkOptions,
  mustBeBoolean,
  mustBeList,
  mustBeName,
  mustBeObject,
  mustBeOneOf,
  mustBeSignal,
  mustBeText,
  mustBeWhole,
  type Check,
  type Checks,
} from '../arguments.ts';
import {isBatchId} from '../batch/model/identity.ts';
import {RemitError} from '../errors.ts';
import type {BatchesOptions, Confirmation, PlanOptions, RunOptions} from './options.ts';

const mustBeTexts: Check = (list, name) => {
  mustBeList(list, name);
  for (const item of list) mustBeText(item, `each of ${name}`);
};

type AllOf<Union> = Record<Union extends unknown ? keyof Union : never, unknown>;

/** An option that nothing would read. */
const notWith =
  (other: string): Check =>
  (_, name) => {
    throw new RemitError('USAGE', `${name} cannot be used with ${other}`);
  };

const FOLDERS = {
  ...{kind: mustBeOneOf(['payouts', 'payins']), stateDir: mustBeName, outDir: mustBeName},
  program: mustBeTexts,
};
const withProfile = notWith('profile');
const withAddress = notWith('baseUrl and key');
const STORED: Checks<AllOf<BatchesOptions>> = {
  ...{...FOLDERS, profile: mustBeName, configDir: mustBeName},
  ...{baseUrl: withProfile, key: withProfile, serviceFile: withProfile},
};
const NAMED: Checks<AllOf<BatchesOptions>> = {
  ...{...FOLDERS, baseUrl: mustBeName, key: mustBeName, serviceFile: mustBeName},
  ...{profile: withAddress, configDir: withAddress},
};

/**
 * The options as they are now: with neither a profile nor an address and key, the command would use the default profile
 * of the user who runs it.
 * @throws {RemitError} USAGE
 */
export function checkBatchesOptions(given: BatchesOptions): BatchesOptions {
  mustBeObject(given, 'the options of Batches');
  const options = {...given};
  const {profile, baseUrl, key} = options;
  checkOptions(options, profile === undefined ? NAMED : STORED, 'the options of Batches');
  if (profile === undefined && (baseUrl === undefined || key === undefined))
    throw new RemitError('USAGE', 'the options of Batches name no service', {
      hint: 'give profile, or baseUrl and key',
    });
  return options;
}

const FROM_ROWS: Checks<AllOf<PlanOptions>> = {
  ...{id: mustBeId, rows: mustBeList, file: notWith('rows'), sheet: notWith('rows')},
};
const FROM_FILE: Checks<AllOf<PlanOptions>> = {
  ...{id: mustBeId, rows: notWith('file'), file: mustBeName, sheet: mustBeName},
};

/** @throws {RemitError} USAGE */
export function checkPlan(plan: PlanOptions): void {
  mustBeObject(plan, 'the plan');
  const isRows = plan.rows !== undefined;
  checkOptions(plan, isRows ? FROM_ROWS : FROM_FILE, 'the plan', ['id', isRows ? 'rows' : 'file']);
}

const CONFIRMATION: Checks<Confirmation> = {
  count: mustBeWhole(0, Number.MAX_SAFE_INTEGER),
  totals: (totals, name) => {
    mustBeObject(totals, name);
    for (const [currency, total] of Object.entries(totals)) mustBeText(total, `${name}.${currency}`);
  },
};

const RUN: Checks<RunOptions> = {
  confirm: (confirm) => checkOptions(confirm, CONFIRMATION, 'confirm', ['count', 'totals']),
  ...{live: mustBeBoolean, accept: mustBeTexts, until: mustBeText, signal: mustBeSignal},
};

/** @throws {RemitError} USAGE */
export function checkRun(id: string, options: RunOptions): void {
  mustBeId(id, 'the id of a batch');
  checkOptions(options, RUN, 'the options', ['confirm']);
}

/** The command takes a path as well, and would pay a file that was not planned. */
export function mustBeId(id: unknown, name: string): void {
  mustBeText(id, name);
  if (!isBatchId(String(id)))
    throw new RemitError('USAGE', `${name}: ${JSON.stringify(id)} is not a batch id`, {
      hint: 'use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
    });
}
