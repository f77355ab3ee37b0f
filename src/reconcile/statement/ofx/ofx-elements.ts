import type {Refuse} from '../file/refusal.ts';
import {shortQuote} from '../file/refusal.ts';

/** An element of OFX. */
export type OfxEvent =
  | {readonly kind: 'open'; readonly name: string; readonly line: number}
  /** The closing tag of an aggregate; that of a value may be missing and is not reported. */
  | {readonly kind: 'close'; readonly name: string; readonly line: number}
  | {readonly kind: 'value'; readonly name: string; readonly text: string; readonly line: number};

/** Values are short: a memo has at most 390 characters. */
const LONGEST_VALUE = 64 * 1024;
const DEEPEST = 32;

/**
 * The elements of OFX 1, which is SGML whose values need no closing tags, and of OFX 2, which is XML. Only the
 * character references of XML and `&nbsp;` are known, and nothing can declare another one.
 */
export async function* ofxElements(chunks: AsyncIterable<string>, refuse: Refuse): AsyncGenerator<OfxEvent> {
  const open: string[] = [];
  let value: string | undefined;
  for await (const {tag, text, line} of tagsOf(chunks, refuse)) {
    if (tag.startsWith('?')) continue;
    if (tag.startsWith('!')) throw refuse({line}, 'has a declaration or comment, which OFX files never have');
    const isClosing = tag.startsWith('/');
    const name = tag
      .slice(isClosing ? 1 : 0)
      .replace(/\/$/, '')
      .trim();
    if (!/^[A-Z][A-Z0-9.]{0,63}$/i.test(name)) throw refuse({line}, `${shortQuote(`<${tag}>`)} is not a tag`);
    if (isClosing && name === value) value = undefined;
    else if (isClosing) {
      if (open.at(-1) !== name)
        throw refuse(
          {line},
          `</${name}> closes ${open.at(-1) === undefined ? 'nothing' : `<${String(open.at(-1))}>`}`,
        );
      open.pop();
      yield {kind: 'close', name, line};
    } else {
      const words = text.trim();
      const isValue = words !== '' || tag.endsWith('/') || EMPTY_VALUES.has(name);
      value = isValue ? name : undefined;
      if (isValue) yield {kind: 'value', name, text: unescaped(words, {refuse, line}), line};
      else {
        open.push(name);
        if (open.length > DEEPEST) throw refuse({line}, 'is nested too deeply');
        yield {kind: 'open', name, line};
      }
      continue;
    }
    if (text.trim() !== '') throw refuse({line}, `has text after </${name}>`);
  }
  if (open.length > 0) throw refuse(undefined, `is truncated: <${open.at(-1) ?? ''}> is not closed`);
}

/** Values that banks leave empty. In SGML, an empty value without a closing tag looks like an aggregate. */
const EMPTY_VALUES = new Set(
  'NAME MEMO MEMO2 CHECKNUM REFNUM PAYEEID SIC DTUSER DTAVAIL SRVRTID FITID TRNAMT DTPOSTED BALAMT DTASOF BRANCHID ACCTKEY ACCTTYPE BANKID ACCTID TRNTYPE CURDEF ORG FID LANGUAGE MESSAGE SEVERITY CODE TRNUID DTSTART DTEND DTSERVER USERKEY SESSCOOKIE EXTDNAME CLTCOOKIE MKTGINFO'.split(
    ' ',
  ),
);

interface Tag {
  tag: string;
  /** What follows it, up to the next tag. */
  text: string;
  line: number;
}

const CDATA = '![CDATA[';
const CDATA_END = ']]>';

/** Tags with the text after them, CDATA included; what is before the first tag is the header. */
async function* tagsOf(chunks: AsyncIterable<string>, refuse: Refuse): AsyncGenerator<Tag> {
  let line = 0;
  let newlines = 1;
  let last: Tag | 'header' | undefined;
  /** CDATA that has not ended: it may contain `<`. */
  let cdata: string | undefined;
  for await (const piece of piecesOf(chunks, () => refuse({line}, 'has a text or tag that does not end'))) {
    line += newlines;
    newlines = piece.split('\n').length - 1;
    if (last === undefined) {
      last = 'header';
      continue;
    }
    if (cdata !== undefined) cdata = `${cdata}<${piece}`;
    else if (last !== 'header' && piece.startsWith(CDATA)) cdata = piece.slice(CDATA.length);
    if (cdata === undefined || last === 'header') {
      if (last !== 'header') yield last;
      const end = piece.indexOf('>');
      if (end === -1) throw refuse({line}, `the tag ${shortQuote(`<${piece}`)} does not end`);
      last = {tag: piece.slice(0, end), text: piece.slice(end + 1), line};
      continue;
    }
    if (cdata.length > LONGEST_VALUE) throw refuse({line}, 'has a text that does not end');
    const end = cdata.indexOf(CDATA_END);
    if (end === -1) continue;
    last.text += cdata.slice(0, end).replaceAll('&', '&amp;') + cdata.slice(end + CDATA_END.length);
    cdata = undefined;
  }
  if (last === undefined || last === 'header') throw refuse(undefined, 'has no element <OFX>');
  if (cdata !== undefined) throw refuse({line}, 'is truncated: a text does not end');
  yield last;
}

/** What is before the first `<`, and what follows each. */
async function* piecesOf(chunks: AsyncIterable<string>, tooLong: () => Error): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const pieces = (rest + chunk).split('<');
    rest = pieces.pop() ?? '';
    yield* pieces;
    if (rest.length > LONGEST_VALUE) throw tooLong();
  }
  yield rest;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  ...{amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' '},
};

/** A `&` that begins no reference stays: many banks do not escape it in OFX 1. */
function unescaped(text: string, {refuse, line}: {refuse: Refuse; line: number}): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]\w{0,30});/gi, (whole, name: string) => {
    const known = CHARACTERS[name.toLowerCase()];
    if (known !== undefined) return known;
    const code =
      name[0] === '#' ? Number(name[1] === 'x' || name[1] === 'X' ? `0${name.slice(1)}` : name.slice(1)) : 0;
    if (code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return String.fromCodePoint(code);
    throw refuse({line}, `${shortQuote(whole)} is not a character`);
  });
}
