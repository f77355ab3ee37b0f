import {RemitError} from '../../errors.ts';
import {AmountError, parseMajor, toWire} from '../../money/amount.ts';
import type {Caps} from '../../profiles/profile.ts';
import {readServiceFile} from '../../profiles/service-source.ts';
import {mergedService} from '../../profiles/settings.ts';
import {checkService} from '../../service/file/parse.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import {withField, withRoute} from '../../service/shortcuts.ts';
import type {FlagValues} from '../input/flags.ts';
import type {guardFlags, serviceFlags} from './flags.ts';

/** `--max-amount USD=5000.00` and similar flags; undefined if no cap is given. */
export function readCaps(flags: FlagValues<typeof guardFlags>): Caps | undefined {
  const caps: Caps = {
    ...amounts('max_amount_minor', '--max-amount', flags['max-amount']),
    ...amounts('max_batch_total_minor', '--max-batch-total', flags['max-batch-total']),
    ...(flags['max-batch-rows'] === undefined ? {} : {max_batch_rows: flags['max-batch-rows']}),
    ...(flags['allow-rail'] === undefined ? {} : {rails: flags['allow-rail']}),
  };
  return Object.keys(caps).length === 0 ? undefined : caps;
}

function amounts<K extends string>(
  field: K,
  flag: string,
  pairs: string[] | undefined,
): Partial<Record<K, Record<string, number>>> {
  if (pairs === undefined) return {};
  const caps: Record<string, number> = {};
  for (const pair of pairs) {
    const [, currency, amount] = /^([A-Z]{3})=(.+)$/.exec(pair) ?? [];
    if (currency === undefined || amount === undefined)
      throw new RemitError('USAGE', `${flag} ${JSON.stringify(pair)} is not of the form USD=5000.00`);
    try {
      caps[currency] = toWire(parseMajor(amount, currency));
    } catch (error) {
      if (error instanceof AmountError)
        throw new RemitError('USAGE', `${flag}: ${error.message}`, {cause: error});
      throw error;
    }
  }
  return {[field]: caps} as Record<K, Record<string, number>>;
}

/**
 * `--service FILE`, and on top of it `--route 'payouts.create=POST /v2/payouts'` and
 * `--field payouts.create.metadata=payout_metadata`: three ways to write one service file.
 * @param before what the profile holds already
 */
export function readService(
  flags: FlagValues<typeof serviceFlags>,
  before: ServiceFile,
): ServiceFile | undefined {
  const {service: path, route = [], field = []} = flags;
  if (path === undefined && route.length + field.length === 0) return undefined;
  let service = path === undefined ? {} : readServiceFile(path);
  for (const text of route) service = withRoute(service, ...readRoute(text));
  for (const text of field) service = withField(service, ...readField(text));
  if (route.length + field.length > 0)
    checkFlags(path === undefined ? mergedService(before, service) : service);
  return service;
}

function checkFlags(service: ServiceFile): void {
  try {
    checkService(service, '--route and --field');
  } catch (error) {
    if (error instanceof RemitError && error.code === 'SERVICE_FILE')
      throw new RemitError('USAGE', error.message, {cause: error});
    throw error;
  }
}

function readRoute(text: string): [string, {method?: string; path: string}] {
  const [, operation, method, path] = /^([A-Za-z.]+)=(?:([A-Z]+) )?(\/\S*)$/.exec(text) ?? [];
  if (operation === undefined || path === undefined)
    throw new RemitError(
      'USAGE',
      `--route ${JSON.stringify(text)} is not of the form 'payouts.create=POST /path'`,
    );
  return [operation, method === undefined ? {path} : {method, path}];
}

function readField(text: string): [string, string] {
  const [, field, name] = /^([A-Za-z_.]+)=(\S+)$/.exec(text) ?? [];
  if (field === undefined || name === undefined)
    throw new RemitError(
      'USAGE',
      `--field ${JSON.stringify(text)} is not of the form payouts.create.metadata=payout_metadata`,
    );
  return [field, name];
}
