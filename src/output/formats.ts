/** How results are written. `table` is for people; the others are for machines. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml', 'id'] as const;
export type Format = (typeof FORMATS)[number];

export interface OutputSettings {
  format: Format;
  /** Dotted paths to keep, in this order; empty for all. */
  fields: readonly string[];
  /** JMESPath over the whole result. */
  query: string | undefined;
  /** Hides progress, notes and hints; warnings, idempotency keys and errors are still shown. */
  quiet: boolean;
  /** `never` is --no-color. */
  colour: 'auto' | 'never';
}

export const DEFAULT_SETTINGS: OutputSettings = {
  format: 'table',
  fields: [],
  query: undefined,
  quiet: false,
  colour: 'auto',
};

/** True if an error is written as one line of JSON. */
export const isJsonish = (format: Format): boolean => format === 'json' || format === 'ndjson';
