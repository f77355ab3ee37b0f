import {readBai2} from './bai2/bai2.ts';
import {readCamt} from './camt/camt.ts';
import {CollectedStatement} from './file/collected.ts';
import {readCsv} from './csv/csv.ts';
import {readMt940} from './mt940/mt940.ts';
import {readOfx} from './ofx/ofx.ts';
import type {BankLine} from '../model/line.ts';
import {refusals, type Refuse} from './file/refusal.ts';
import {decodedText, encodingOf, linesOf, openStatement} from './file/source.ts';
import {
  STATEMENT_FORMATS,
  type StatementFacts,
  type StatementFormat,
  type StatementOptions,
} from './file/statement.ts';

/**
 * Reads a statement of a bank to its end.
 * @param source the bytes, or the path of a file
 * @param take is given each line as it is read. Nothing of a file that is refused later counts.
 * @throws RemitError STATEMENT_INVALID, naming the line or the element
 */
export async function readStatement(
  source: Buffer | string,
  options: StatementOptions,
  take: (line: BankLine) => void,
): Promise<StatementFacts> {
  const name = typeof source === 'string' ? source : 'the statement';
  const refuse = refusals(name);
  const bytes = openStatement(source, refuse);
  try {
    const encoding = encodingOf(bytes.head, options.encoding, refuse);
    const format = options.format ?? recognized(new TextDecoder(encoding).decode(bytes.head), refuse);
    const into = new CollectedStatement(refuse, {...options, format}, take);
    const chunks = decodedText(bytes.chunks(), encoding, refuse);
    const lines = () => linesOf(chunks, refuse);
    const read: Readonly<Record<StatementFormat, () => Promise<void>>> = {
      camt053: () => readCamt(chunks, into, refuse),
      bai2: () => readBai2(lines(), into, refuse, options),
      ofx: () => readOfx(chunks, into, refuse, options),
      mt940: () => readMt940(lines(), into, refuse),
      csv: () => readCsv(chunks, name, into, refuse, options),
    };
    await read[format]();
    return into.end();
  } finally {
    bytes.close();
  }
}

/** What a file begins with. CSV is what has separators in its first line, and is tried last. */
const BEGINNINGS: readonly (readonly [StatementFormat, RegExp])[] = [
  ['ofx', /^\s*(?:OFXHEADER\s*:|(?:<\?xml[^>]*\?>\s*)?(?:<\?OFX\b|<OFX>))/i],
  ['camt053', /^\s*</],
  ['bai2', /^\s*01,/],
  ['mt940', /^(?:\s*\{1:|(?:[^\n]*\n){0,8}?\s*:20:)/],
  ['csv', /^(?!\s*[:{])[^\r\n]*[,;\t]/],
];

function recognized(head: string, refuse: Refuse): StatementFormat {
  const found = BEGINNINGS.find(([, beginning]) => beginning.test(head));
  if (found !== undefined) return found[0];
  throw refuse(
    undefined,
    head.trim() === '' ? 'is empty' : 'is in no known format',
    `name the format with --format: ${STATEMENT_FORMATS.join(', ')}`,
  );
}
