import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import {columnsOf} from '../../../batch/model/row-fields.ts';

/** A template file: the columns, and example rows to overwrite. Its ids do not exist, so it pays no one. */
export function templateFor(kind: Kind): {columns: string[]; csv: string} {
  const facts = KINDS[kind];
  const columns = [
    ...columnsOf(kind).filter((column) => column !== 'amount_in_minor_units'),
    'metadata.note',
  ];
  const example: Readonly<Record<string, string>> = {
    reference: 'INV-1001',
    [facts.party]: '00000000-0000-4000-8000-000000000001',
    amount: '1500.75',
    currency_code: 'USD',
    rail: 'standard_ach',
    'metadata.note': 'November',
  };
  const second = {...example, reference: 'INV-1002', amount: '20.00', rail: ''};
  const line = (row: Readonly<Record<string, string>>) =>
    columns.map((column) => row[column] ?? '').join(',');
  return {columns, csv: `${[columns.join(','), line(example), line(second)].join('\n')}\n`};
}
