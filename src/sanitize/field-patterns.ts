import {namesInText} from './secret-names.ts';

/**
 * Without one of these, a text contains no secret shape and no field: most ids and statuses of a batch skip the
 * check.
 */
const SUSPECT =
  /…|(?:test|live|whsec)_|[:=]|(?:account|acct|a\/c|card|routing|iban|aba)[^a-z]|(?<![\w-])(?:\d(?:[ .\u00a0\u2009\u202f-]?\d){11}|[A-Z]{2}\d\d[ -]?[A-Z0-9])/i;

/** A time as services write it. Its colons name no field, and no digits around it can form one number with its own. */
const TIME = /(?<![\w-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?![\w-])/g;

/** Whether a text may contain a secret shape or a field, other than times, which most records have. */
export const isSuspect = (text: string): boolean =>
  SUSPECT.test(text) && (!text.includes('Z') || SUSPECT.test(text.replace(TIME, '0')));

/** Fields in a text. */
export interface FieldPatterns {
  quoted: RegExp;
  bare: RegExp;
}

/** Made when the first text needs them: they take a millisecond. */
let usual: FieldPatterns | undefined;

/** The patterns of all fields that are protected by their names. `own`: additional ones */
export const fieldPatterns = (own: ReadonlySet<string>): FieldPatterns =>
  own.size === 0 ? (usual ??= patternsOf([])) : patternsOf([...own]);

function patternsOf(own: readonly string[]): FieldPatterns {
  const names = namesInText(own);
  return {quoted: quotedField(names.quoted), bare: bareField(names)};
}

/** `"account_number": "…"`, in complete and in truncated JSON. */
const quotedField = (names: string): RegExp =>
  new RegExp(`((["'])([\\w-]*(?:${names}))\\2\\s*:\\s*)(?:"((?:[^"\\\\]|\\\\.)*)"?|(\\d[\\d.eE+-]*))`, 'gi');

/**
 * `account_number=…`, `Authorization: …`: outside JSON, up to the next space or separator. Names that are English
 * words count only in a query: `token=…`.
 */
const bareField = ({quoted: all, bare}: ReturnType<typeof namesInText>): RegExp =>
  new RegExp(
    `((?<![\\w"'-])(?:([\\w-]*(?:${bare}))\\s*[:=]\\s*|([\\w-]*(?:${all}))=)(?:Bearer |Basic )?)([^\\s,;&"'{}()[\\]<>]+)`,
    'gi',
  );
