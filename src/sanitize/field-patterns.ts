import {namesInText} from './secret-names.ts';

/**
 * Without one of these, a text contains no secret shape and no field: most ids and statuses of a batch skip the
 * check.
 */
export const SUSPECT =
  /…|(?:test|live|whsec)_|[:=]|(?:account|acct|a\/c|card|routing|iban|aba)[^a-z]|(?<![\w-])(?:\d(?:[ .\u00a0\u2009\u202f-]?\d){11}|[A-Z]{2}\d\d[ -]?[A-Z0-9])/i;

/** `"account_number": "…"`, in complete and in truncated JSON. */
export const quotedField = (names: string): RegExp =>
  new RegExp(`((["'])([\\w-]*(?:${names}))\\2\\s*:\\s*)(?:"((?:[^"\\\\]|\\\\.)*)"?|(\\d[\\d.eE+-]*))`, 'gi');

/**
 * `account_number=…`, `Authorization: …`: outside JSON, up to the next space or separator. Names that are English
 * words count only in a query: `token=…`.
 */
export const bareField = ({quoted: all, bare}: ReturnType<typeof namesInText>): RegExp =>
  new RegExp(
    `((?<![\\w"'-])(?:([\\w-]*(?:${bare}))\\s*[:=]\\s*|([\\w-]*(?:${all}))=)(?:Bearer |Basic )?)([^\\s,;&"'{}()[\\]<>]+)`,
    'gi',
  );

export const QUOTED_FIELD = quotedField(namesInText([]).quoted);
export const BARE_FIELD = bareField(namesInText([]));
