import {RemitError} from '../../errors.ts';

/** Why a workbook cannot be read, and how to fix it. Nothing was sent. */
export const refusedWorkbook = (path: string, message: string, hint: string, cause?: unknown): RemitError =>
  new RemitError('CSV_INVALID', `${path} ${message}`, {hint, cause});

const SAVE_AGAIN =
  'open the file in Excel or LibreOffice and save it again as .xlsx, or save the sheet as CSV UTF-8, and use that file';

/** A workbook that contradicts itself or its format. */
export const brokenWorkbook = (path: string, what: string, cause?: unknown): RemitError =>
  refusedWorkbook(path, `is not a readable workbook: ${what}`, SAVE_AGAIN, cause);
