import {parseXmlText, type XmlHandler} from '../../../batch/workbook/xml.ts';
import {CamtElement} from './camt-elements.ts';
import {CamtStatement} from './camt-statement.ts';
import type {CollectedStatement} from '../file/collected.ts';
import {shortQuote, type Refuse} from '../file/refusal.ts';

/** A purpose has 140 characters, and no text of the format more than some thousands. */
const LONGEST_TEXT = 64 * 1024;
/** An entry may have details of many thousand transactions. */
const LARGEST_ENTRY = 256 * 1024 * 1024;
const ROOT = 'BkToCstmrStmt';
const OTHER_MESSAGES: Readonly<Record<string, string>> = {
  BkToCstmrAcctRpt: 'a camt.052 report of the current day',
  BkToCstmrDbtCdtNtfctn: 'a camt.054 notification',
};
/** Read as a whole; the other elements of a statement are read one by one. */
const PARTS = new Set(['Ntry', 'Bal', 'TxsSummry', 'Acct', 'FrToDt']);
/** Each of them is a part of its own, so that one entry can become several lines. */
const DETAILS = 'TxDtls';

/** Reads camt.053, the statement of ISO 20022, of any version, as it arrives. */
export async function readCamt(
  chunks: AsyncIterable<string>,
  into: CollectedStatement,
  refuse: Refuse,
): Promise<void> {
  const reader = new CamtReader(into, refuse);
  const broken = (why: string, cause?: unknown) => refuse(reader.place, why, undefined, cause);
  const steps = parseXmlText(chunks, reader, broken);
  while (!(await steps.next()).done);
  reader.end();
}

class CamtReader implements XmlHandler {
  readonly #into: CollectedStatement;
  readonly #refuse: Refuse;
  readonly #path: string[] = [];
  #text = '';
  #hasChildren = false;
  #entries = 0;
  #statements = 0;
  #statement: CamtStatement | undefined;
  #part: {element: CamtElement; details: CamtElement[]; depth: number; size: number} | undefined;

  constructor(into: CollectedStatement, refuse: Refuse) {
    this.#into = into;
    this.#refuse = refuse;
  }

  /** Where the reader is, for errors. */
  get place(): {element: string} {
    const path = this.#path.slice(2).join('/') || (this.#path.at(-1) ?? 'Document');
    return {element: path.startsWith('Stmt/Ntry') ? `${path} (entry ${this.#entries})` : path};
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#path.push(name);
    this.#text = '';
    this.#hasChildren = false;
    const {length: depth} = this.#path;
    if (depth === 1 && name !== 'Document')
      throw this.#refuse(this.place, `is ${shortQuote(name)}, not a camt.053 Document`);
    if (depth === 2) this.#checkMessage(name);
    if (depth === 3 && name === 'Stmt') {
      this.#statements++;
      this.#entries = 0;
      this.#statement = new CamtStatement(this.#into, this.#refuse);
    }
    if (depth === 4 && this.#path[2] === 'Stmt' && PARTS.has(name)) {
      if (name === 'Ntry') this.#entries++;
      this.#part = {element: new CamtElement(), details: [], depth, size: 0};
    }
    if (name === DETAILS && this.#path[3] === 'Ntry') this.#part?.details.push(new CamtElement());
    for (const [attribute, value] of Object.entries(attributes)) this.#leaf(`@${attribute}`, value);
  }

  text(text: string): void {
    this.#text += text;
    if (this.#text.length > LONGEST_TEXT) throw this.#refuse(this.place, 'the text is too long');
  }

  close(name: string): void {
    const text = this.#text.trim();
    if (!this.#hasChildren && text !== '') this.#leaf('', text);
    this.#text = '';
    this.#hasChildren = true;
    const part = this.#part;
    if (part?.depth === this.#path.length) {
      this.#part = undefined;
      this.#statement?.take(name, part.element, part.details, this.place);
    }
    if (this.#path.length === 3) {
      this.#statement?.end(this.place);
      this.#statement = undefined;
    }
    this.#path.pop();
  }

  end(): void {
    if (this.#statements === 0) throw this.#refuse(undefined, 'has no statement (Stmt)');
  }

  #checkMessage(name: string): void {
    if (name === ROOT) return;
    const other = OTHER_MESSAGES[name] ?? `the message ${shortQuote(name)}`;
    throw this.#refuse(this.place, `is ${other}, not a camt.053 statement`);
  }

  #leaf(suffix: string, text: string): void {
    const part = this.#part;
    if (part === undefined) return;
    part.size += text.length;
    if (part.size > LARGEST_ENTRY) throw this.#refuse(this.place, 'the entry is too large');
    const isDetail = this.#path.includes(DETAILS);
    const target = isDetail ? (part.details.at(-1) ?? part.element) : part.element;
    target.add(this.#path.slice(part.depth - 1).join('/') + suffix, text);
  }
}
