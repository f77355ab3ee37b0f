import {RemitError} from '../../errors.ts';
import type {JsonFields} from '../../narrow.ts';

/** The filters that are sent, and those that are applied to the records that were read. */
export function splitFilters(filters: JsonFields, here: readonly string[]) {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined);
  return {
    own: Object.fromEntries(entries.filter(([name]) => here.includes(name))),
    sent: Object.fromEntries(entries.filter(([name]) => !here.includes(name))),
  };
}

/** The path parameters of a list operation, and its filters. */
export function splitParams(path: string, query: JsonFields) {
  const names: readonly string[] = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
  const params: Record<string, string> = {};
  for (const name of names) {
    const value = query[name];
    if (typeof value !== 'string') throw new RemitError('USAGE', `${name} is missing`);
    params[name] = value;
  }
  return {params, filters};
}
