import type {SAXParser} from 'sax';
import {brokenWorkbook} from './refusal.ts';

/** Receives the elements of a part. Names have no prefix: `row` for `<x:row>`. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Longer than any tag or text of a workbook: a cell has at most 32,767 characters in Excel. */
const LONGEST_NODE = 1024 * 1024;
const DEEPEST = 64;

/** Only the five entities of XML, none of HTML. */
const OPTIONS = {position: false, strictEntities: true};

/** Creates the error for XML that is refused. */
type BrokenXml = (why: string, cause?: unknown) => Error;

/**
 * Parses XML as it arrives. Yields the handler after each piece, so that a caller can pass on what was found. A DOCTYPE
 * is refused, so no entity can be declared; what never ends is refused before it fills the memory.
 */
export async function* parseXmlText<Handler extends XmlHandler>(
  chunks: AsyncIterable<string>,
  handler: Handler,
  broken: BrokenXml,
): AsyncGenerator<Handler> {
  const {default: sax} = await import('sax');
  const parser = sax.parser(true, OPTIONS);
  const watch = connect(parser, handler, broken);
  for await (const text of chunks) {
    parser.write(text);
    watch.unread += text.length;
    if (watch.unread > LONGEST_NODE) throw broken('has a text or tag that does not end');
    yield handler;
  }
  parser.close();
  yield handler;
}

/**
 * Parses a part of a workbook, in UTF-8.
 * @param what the part, as errors name it
 */
export function parseXml<Handler extends XmlHandler>(
  path: string,
  what: string,
  bytes: AsyncIterable<Buffer>,
  handler: Handler,
): AsyncGenerator<Handler> {
  const broken: BrokenXml = (why, cause) => brokenWorkbook(path, `${what} ${why}`, cause);
  return parseXmlText(utf8(bytes, broken), handler, broken);
}

async function* utf8(bytes: AsyncIterable<Buffer>, broken: BrokenXml): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', {fatal: true});
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, {stream: piece !== undefined});
    } catch (cause) {
      throw broken('is not UTF-8', cause);
    }
  };
  for await (const piece of bytes) yield decode(piece);
  yield decode();
}

/**
 * Connects the handler, and refuses what no workbook or statement has. `unread` is about the number of characters since the
 * last tag or text that was complete.
 */
function connect(parser: SAXParser, handler: XmlHandler, broken: BrokenXml): {unread: number} {
  const watch = {unread: 0};
  let depth = 0;
  let attributes: Record<string, string> = {};
  const text = (piece: string): void => {
    watch.unread = 0;
    handler.text(piece);
  };
  parser.onerror = ({message}) => {
    throw broken(`is not well-formed XML (${message.split('\n')[0] ?? ''})`);
  };
  parser.ondoctype = () => {
    throw broken('has a DOCTYPE, which is refused');
  };
  parser.onattribute = ({name, value}) => {
    attributes[name] = value;
  };
  parser.onopentag = ({name}) => {
    watch.unread = 0;
    depth++;
    if (depth > DEEPEST) throw broken('is nested too deeply');
    handler.open(localName(name), attributes);
    attributes = {};
  };
  parser.ontext = text;
  parser.oncdata = text;
  parser.onclosetag = (name) => {
    watch.unread = 0;
    depth--;
    handler.close(localName(name));
  };
  return watch;
}

function localName(name: string): string {
  const at = name.indexOf(':');
  return at === -1 ? name : name.slice(at + 1);
}

/** XML booleans. */
export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Whether an element `strike` says that its text is struck through. */
export const isStrike = ({val}: Readonly<Record<string, string>>): boolean =>
  val === undefined || isTrue(val);

/** Parses a part to its end. */
export async function readXml(
  path: string,
  what: string,
  bytes: AsyncIterable<Buffer>,
  handler: XmlHandler,
): Promise<void> {
  const steps = parseXml(path, what, bytes, handler);
  while (!(await steps.next()).done);
}

/** Excel writes characters that XML cannot contain, and ones that would be lost, as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text;
