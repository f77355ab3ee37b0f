import {text, time, type View} from '../../output/records/view.ts';
import type {ReadStatement} from '../../reconcile/book/stored-statements.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type {KnownStatement} from '../help/outputs/reconcile.ts';

export type PrintedStatement = Shown<typeof KnownStatement>;

export const printedStatement = ({forgotten, ending, ...known}: ReadStatement): PrintedStatement => ({
  ...{id: known.id, file: known.name, format: known.format, account: known.account},
  ...{number: ending === undefined ? null : `…${ending}`, from: known.from, to: known.to, lines: known.lines},
  ...{read_by: known.by, read_at: known.at},
  ...{
    forgotten_by: forgotten?.by ?? null,
    forgotten_at: forgotten?.at ?? null,
    note: forgotten?.note ?? null,
  },
});

export const statementView: View = {
  noun: 'statement',
  plural: 'statements',
  card: [],
  columns: [
    text('Statement', 'id'),
    text('File', 'file'),
    text('Format', 'format', 2),
    text('Number', 'number', 1),
    text('Account', 'account', 2),
    text('From', 'from'),
    text('To', 'to'),
    text('Lines', 'lines', 1),
    text('Read by', 'read_by', 2),
    time('Read', 'read_at', 2),
    {...text('Forgotten by', 'forgotten_by', 1), optional: true},
    {...text('Note', 'note', 2), optional: true},
  ],
};
