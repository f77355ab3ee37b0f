/** A file format that is not CSV, and how to convert it. */
export interface ForeignFormat {
  /** `an Excel workbook (.xlsx)` */
  what: string;
  fix: string;
}

/** Number of leading bytes that identify a format. */
export const HEAD_BYTES = 96;

const SAVE_AS_CSV =
  'save the sheet as CSV: in Excel, File > Save As > "CSV UTF-8 (Comma delimited)"; in LibreOffice, File > Save As > "Text CSV". Then plan that file';

/** Formats that are often sent instead of a CSV, by their first bytes. */
const FORMATS: readonly {magic: Buffer; read: (head: Buffer) => ForeignFormat}[] = [
  {magic: Buffer.from('PK\u0003\u0004', 'latin1'), read: zipped},
  {
    magic: Buffer.from('d0cf11e0a1b11ae1', 'hex'), // Compound File Binary
    read: () => ({what: 'an Excel workbook (.xls)', fix: SAVE_AS_CSV}),
  },
  {magic: Buffer.from('%PDF-'), read: () => ({what: 'a PDF', fix: 'export the payments as CSV'})},
  {
    magic: Buffer.from('1f8b', 'hex'),
    read: () => ({
      what: 'compressed with gzip',
      fix: 'decompress it first: gunzip -c FILE.csv.gz > FILE.csv',
    }),
  },
];

/** Returns the format that the first bytes of a file identify, if it is certainly not CSV. */
export function foreignFormat(head: Buffer): ForeignFormat | undefined {
  const found = FORMATS.find(({magic}) => head.subarray(0, magic.length).equals(magic));
  return found?.read(head);
}

/** An OpenDocument file begins with its type; the first entry of a workbook has one of a few names. */
function zipped(head: Buffer): ForeignFormat {
  const text = head.toString('latin1');
  if (text.includes('opendocument')) return {what: 'an OpenDocument spreadsheet (.ods)', fix: SAVE_AS_CSV};
  if (/\[Content_Types\]|_rels\/|docProps\/|xl\//.test(text))
    return {what: 'an Excel workbook (.xlsx)', fix: SAVE_AS_CSV};
  return {
    what: 'an Excel workbook (.xlsx) or another ZIP file',
    fix: `${SAVE_AS_CSV}; unpack it first if it is an archive`,
  };
}
