import * as z from 'zod';
import {declaredColumns} from '../../../output/records/csv.ts';
import {pathsOf, type AnswerSchema} from '../answer-fields.ts';
import type {Printed} from './forms.ts';
import {OUTPUTS} from './outputs.ts';

/**
 * The columns of CSV of the list that a command prints, the same on every page and for an empty list; undefined if
 * none are declared. Loads zod: import it lazily.
 */
export function listedColumns(command: string): string[] | undefined {
  const rows = rowsOf(OUTPUTS[command]);
  const columns = rows === undefined ? [] : columnsOf(rows);
  return columns.length === 0 ? undefined : columns;
}

/** The columns of records with this schema. */
export const columnsOf = (schema: z.ZodType): string[] =>
  declaredColumns(
    pathsOf(
      z.toJSONSchema(schema, {io: 'output', unrepresentable: 'any', reused: 'inline'}) as AnswerSchema, // by its target
      '',
    ),
  );

/** The schema of one item of the list; undefined for a command that prints none. */
export function rowsOf(printed: Printed | undefined): z.ZodType | undefined {
  if (printed === undefined || printed.form === 'none') return undefined;
  if (printed.form === 'list') return printed.rows ?? printed.schema;
  const document = printed.form === 'lines' ? printed.document : printed.schema;
  const variants = document instanceof z.ZodUnion ? document.options : [document];
  const array = variants.find((variant) => variant instanceof z.ZodArray);
  return array?.element instanceof z.ZodType ? array.element : undefined;
}
