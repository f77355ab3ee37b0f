import {crc32, deflateRawSync} from 'node:zlib';

/** A part of an archive. */
export interface Part {
  name: string;
  content: string | Buffer;
  /** What the directory says of it, where that is wrong on purpose. */
  claims?: {crc?: number; size?: number; flags?: number};
}

/** A ZIP archive of the parts, in their order. */
export function zip(parts: readonly Part[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const {name, content, claims = {}} of parts) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE((claims.flags ?? 0) | 0x800, 2);
    head.writeUInt16LE(8, 4);
    head.writeUInt16LE(0x21, 8); // 1 January 1980
    head.writeUInt32LE(claims.crc ?? crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(claims.size ?? bytes.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), packed]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), head, central, Buffer.from(name));
    files.push(local);
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, list, end]);
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A cell: text, or a number with the index of its format, or raw XML of its own. */
export type Cell = string | number | {v: string; s?: number; t?: string; f?: string} | null;

export interface Sheet {
  name: string;
  rows: readonly (readonly Cell[])[];
  /** Rows that are hidden, from 1. */
  hidden?: readonly number[];
  merged?: readonly string[];
  hiddenColumns?: readonly number[];
  state?: string;
}

/** The style of a struck-through cell; it follows those of `FORMATS`. */
export const STRUCK = 17;

/** Formats of the styles 1, 2 …; style 0 is General. */
export const FORMATS = {
  money: {style: 1, code: '#,##0.00'},
  day: {style: 2, code: 'yyyy\\-mm\\-dd'},
  scientific: {style: 3, code: '0.00E+00'},
  padded: {style: 4, code: '00000'},
  percent: {style: 5, code: '0.00%'},
  whole: {style: 6, code: '0'},
  time: {style: 7, code: 'd/m/yyyy h:mm'},
  text: {style: 8, code: '@'},
  labelled: {style: 9, code: '"INV-"0000'},
  euro: {style: 10, code: '_-* #,##0.00\\ [$€-407]_-'},
  dollar: {style: 11, code: '_("$"* #,##0.00_)'},
  code: {style: 12, code: '#,##0.00 "USD"'},
  wholeDollar: {style: 13, code: '"$"0'},
  digit: {style: 14, code: '"1"0.00'},
  digitBefore: {style: 15, code: '"1"@'},
  digitAfter: {style: 16, code: '@"0"'},
} as const;

const letters = (column: number): string =>
  column < 26
    ? String.fromCharCode(65 + column)
    : letters(Math.floor(column / 26) - 1) + letters(column % 26);

const NS = 'http://schemas.openxmlformats.org';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The parts of a workbook as Excel writes them. */
export function parts(
  sheets: readonly Sheet[],
  {is1904 = false, inline = false}: {is1904?: boolean; inline?: boolean} = {},
): Part[] {
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  const shared = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, texts.length);
    return texts.push(text) - 1;
  };
  const cellXml = (cell: Cell, name: string): string => {
    if (cell === null) return '';
    if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
    if (typeof cell === 'string')
      return inline
        ? `<c r="${name}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
        : `<c r="${name}" t="s"><v>${shared(cell)}</v></c>`;
    const {v, s, t, f} = cell;
    const attributes = `${s === undefined ? '' : ` s="${s}"`}${t === undefined ? '' : ` t="${t}"`}`;
    return `<c r="${name}"${attributes}>${f === undefined ? '' : `<f>${escaped(f)}</f>`}<v>${escaped(v)}</v></c>`;
  };
  const sheetXml = ({rows, hidden = [], merged = [], hiddenColumns = []}: Sheet): string => {
    const columns = hiddenColumns.map((at) => `<col min="${at + 1}" max="${at + 1}" width="9" hidden="1"/>`);
    const data = rows.map((cells, index) => {
      const row = index + 1;
      const all = cells.map((cell, column) => cellXml(cell, `${letters(column)}${row}`)).join('');
      return `<row r="${row}"${hidden.includes(row) ? ' hidden="1"' : ''}>${all}</row>`;
    });
    const ranges = merged.map((range) => `<mergeCell ref="${range}"/>`);
    return `${HEAD}<worksheet xmlns="${NS}/spreadsheetml/2006/main">${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>${data.join('')}</sheetData>${ranges.length > 0 ? `<mergeCells count="${ranges.length}">${ranges.join('')}</mergeCells>` : ''}</worksheet>`;
  };
  const sheetParts = sheets.map((sheet, index) => ({
    name: `xl/worksheets/sheet${index + 1}.xml`,
    content: sheetXml(sheet),
  }));
  const formats = Object.values(FORMATS);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${NS}/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  return [
    {
      name: '[Content_Types].xml',
      content: `${HEAD}<Types xmlns="${NS}/package/2006/content-types"/>`,
    },
    {
      name: '_rels/.rels',
      content: `${HEAD}<Relationships xmlns="${NS}/package/2006/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `${HEAD}<workbook xmlns="${NS}/spreadsheetml/2006/main" xmlns:r="${NS}/officeDocument/2006/relationships">${is1904 ? '<workbookPr date1904="1"/>' : ''}<sheets>${sheets.map(({name, state}, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${HEAD}<Relationships xmlns="${NS}/package/2006/relationships">${sheets.map((_, index) => relation(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`)).join('')}${relation('rIdS', 'styles', 'styles.xml')}${relation('rIdT', 'sharedStrings', '/xl/sharedStrings.xml')}</Relationships>`,
    },
    ...sheetParts,
    {
      name: 'xl/styles.xml',
      content: `${HEAD}<styleSheet xmlns="${NS}/spreadsheetml/2006/main"><numFmts count="${formats.length}">${formats.map(({style, code}) => `<numFmt numFmtId="${163 + style}" formatCode="${escaped(code)}"/>`).join('')}</numFmts><fonts count="3"><font><sz val="11"/></font><font><strike val="0"/></font><font><strike/></font></fonts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map(({style}) => `<xf numFmtId="${163 + style}" applyNumberFormat="1" fontId="1"/>`).join('')}<xf numFmtId="0" fontId="2"/></cellXfs><dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `${HEAD}<sst xmlns="${NS}/spreadsheetml/2006/main">${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    },
  ];
}

export const workbook = (sheets: readonly Sheet[], options?: Parameters<typeof parts>[1]): Buffer =>
  zip(parts(sheets, options));

/** The parts with one of them changed. */
export const changed = (
  all: readonly Part[],
  name: string,
  change: Partial<Part> | ((content: string) => string),
): Part[] =>
  all.map((part) =>
    part.name !== name
      ? part
      : typeof change === 'function'
        ? {...part, content: change(String(part.content))}
        : {...part, ...change},
  );
