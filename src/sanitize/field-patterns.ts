import {namesInText} from './secret-names.ts';

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

/** Not in a command that is printed to be typed: what names a bank is public. */
const NO_BANK_FLAG =
  '(?!--routing-number=\\d{9}(?![\\w-]))(?!(?<=--field[= ])sort_code=\\d\\d-?\\d\\d-?\\d\\d(?![\\w-]))';

/**
 * `account_number=…`, `Authorization: …`: outside JSON, up to the next space or separator. Names that are English
 * words count only in a query: `token=…`.
 */
const bareField = ({quoted: all, bare}: ReturnType<typeof namesInText>): RegExp =>
  new RegExp(
    `((?<![\\w"'-])${NO_BANK_FLAG}(?:([\\w-]*(?:${bare}))\\s*[:=]\\s*|([\\w-]*(?:${all}))=)(?:Bearer |Basic )?)([^\\s,;&"'{}()[\\]<>]+)`,
    'gi',
  );
