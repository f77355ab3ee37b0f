/** Formats in which the sandbox writes statements. */
export const STATEMENT_FILE_FORMATS = ['camt053', 'bai2', 'ofx', 'mt940', 'csv'] as const;
export type StatementFileFormat = (typeof STATEMENT_FILE_FORMATS)[number];
