import type {Clock} from '../../clock.ts';
import type {IdFormat} from '../../contract/ids.ts';
import type {NumberFormat} from '../../money/amount.ts';
import {must} from '../../narrow.ts';
import {type ColumnMap, readHeader} from '../input/columns.ts';
import type {InputFacts, InputFile} from '../input/csv-input.ts';
import {groupsOf} from '../input/issue-groups.ts';
import type {RecordSource} from '../input/record.ts';
import {type ImportedParty, scheduleDay} from '../input/rows.ts';
import type {Draft} from '../journal/draft.ts';
import type {Retype} from '../model/accept.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import type {Delimiter} from '../model/plan-facts.ts';
import {PlanLoader, type RowTexts} from './loader.ts';
import {checkHidden, invalidFile} from './refusals.ts';

/** How the records of a file are read. */
export interface ReadOptions {
  kind: Kind;
  /** Without it, the file must have references. */
  namespace?: string | undefined;
  mapping?: Readonly<Record<string, string>>;
  ignored?: readonly string[];
  amountUnit?: 'major' | 'minor' | undefined;
  numberFormat?: NumberFormat | undefined;
  currency?: string | undefined;
  /** Payees or payers by their references; the file then names its parties by them. */
  partyIds?: ReadonlyMap<string, ImportedParty> | undefined;
  /** What the ids of the service look like; UUIDs if undefined. */
  ids?: IdFormat | undefined;
  /** Number of rows that the sheet hides and that are planned all the same. */
  allowHiddenRows?: number | undefined;
  /** Builds the typed command with these arguments added. */
  retype?: Retype;
  clock: Clock;
}

/** What the records of a file show besides their rows. */
interface LoadedRecords {
  facts: InputFacts;
  map: ColumnMap;
  delimiter: Delimiter;
  /** Valid or not. */
  records: number;
  emptyRecords: number;
  hasReferences: boolean;
  warnings: string[];
}

/** It comes first, or the reading fails. */
const HEADER = 'header of the file';

/**
 * Reads a file to its end and writes its records into the draft.
 * @throws RemitError CSV_INVALID if the header is wrong, or hidden rows were not accepted
 */
export async function loadRecords(
  options: ReadOptions,
  input: InputFile,
  source: RecordSource,
  draft: Draft,
  texts: RowTexts,
): Promise<LoadedRecords> {
  const kind = KINDS[options.kind];
  let begun: {loader: PlanLoader; map: ColumnMap} | undefined;
  for await (const piece of source.read()) {
    if ('header' in piece) {
      const header = readHeader(piece.header, kind, {
        mapping: options.mapping ?? {},
        ignored: options.ignored ?? [],
        needsReference: options.namespace === undefined,
        defaultCurrency: options.currency !== undefined,
        hasPartyIds: options.partyIds !== undefined,
      });
      // With a wrong header every row would be wrong, so only the header's errors are reported.
      if (header.issues.length > 0)
        throw invalidFile(input, {...groupsOf(header.issues), errors: header.issues});
      const {map} = header;
      const {amountUnit, numberFormat, currency, ids, partyIds} = options;
      const today = scheduleDay(options.clock.now());
      const rules = {kind, amountUnit, numberFormat, currency, today, ids, partyIds};
      const loader = new PlanLoader(draft, map, rules, texts);
      source.begin(map, rules);
      begun = {loader, map};
    } else must(begun, HEADER).loader.load(piece.records);
  }
  const {loader, map} = must(begun, HEADER);
  await loader.finish();
  const {facts, emptyRecords, hiddenRecords, warnings} = source.end();
  return {
    facts,
    map,
    delimiter: source.delimiter,
    records: loader.records,
    emptyRecords,
    hasReferences: map.at['reference'] !== undefined,
    warnings: [...checkHidden(input, source.sheet, hiddenRecords, options), ...warnings, ...loader.warnings],
  };
}
