import {Flags} from '@oclif/core';
import {NUMBER_FORMATS, type NumberFormat} from '../../money/amount.ts';
import {keysOf} from '../../narrow.ts';
import {
  CSV_DAY_FORMATS,
  STATEMENT_ENCODINGS,
  type CsvDayFormat,
  type StatementEncoding,
  type StatementOptions,
} from '../../reconcile/statement/file/statement.ts';
import {readMapping} from '../batch/flags.ts';
import {rarely} from '../input/flags.ts';

/** For statements that do not state how to read them. */
export const statementFlags = rarely('STATEMENT', {
  'account-number': Flags.string({
    helpValue: '1234',
    dependsOn: ['statement'],
    description: 'which account of several: four last characters or more',
  }),
  currency: Flags.string({
    helpValue: 'USD',
    dependsOn: ['statement'],
    description: 'currency of amounts without one',
  }),
  map: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'amount=Value',
    dependsOn: ['statement'],
    description: 'csv: header of the column with this field',
  }),
  'day-format': Flags.option({
    options: CSV_DAY_FORMATS,
    helpValue: 'FORMAT',
    dependsOn: ['statement'],
    description: 'csv: how days are written (default: YYYY-MM-DD)',
  })(),
  'number-format': Flags.option({
    options: keysOf(NUMBER_FORMATS),
    helpValue: 'FORMAT',
    dependsOn: ['statement'],
    description: 'csv: how amounts are written, such as 1.234,56',
  })(),
  encoding: Flags.option({
    options: STATEMENT_ENCODINGS,
    helpValue: 'NAME',
    dependsOn: ['statement'],
    description: 'encoding, if none is stated (default: utf-8)',
  })(),
});

/** The flags as parsed. */
export interface StatementFlags {
  'account-number'?: string | undefined;
  currency?: string | undefined;
  map?: readonly string[] | undefined;
  'day-format'?: CsvDayFormat | undefined;
  'number-format'?: NumberFormat | undefined;
  encoding?: StatementEncoding | undefined;
}

/** @throws RemitError USAGE for a mapping that is none */
export const statementOptions = (flags: StatementFlags): Omit<StatementOptions, 'format' | 'account'> => ({
  number: flags['account-number'],
  currencyDefault: flags.currency,
  map: readMapping(flags.map),
  dayFormat: flags['day-format'],
  numberFormat: flags['number-format'],
  encoding: flags.encoding,
});
