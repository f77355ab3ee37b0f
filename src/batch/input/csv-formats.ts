import {readSync} from 'node:fs';

/** A file format that is not CSV, and how to convert it. */
export interface ForeignFormat {
  /** `an Excel workbook (.xlsx)` */
  what: string;
  fix: string;
}

/** Number of leading bytes that identify a format. */
export const HEAD_BYTES = 96;

const SAVE_AS_XLSX =
  'open it in Excel or LibreOffice, and save it as "Excel Workbook (.xlsx)" or as "CSV UTF-8", and use that file';

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');

/** Whether a file begins like a workbook (.xlsx), which is a ZIP archive. */
export const isWorkbook = (head: Buffer): boolean => head.subarray(0, ZIP.length).equals(ZIP);

type Read = (head: Buffer, fd: number | undefined) => ForeignFormat;

/** Formats that are often sent instead of a CSV, by their first bytes. */
const FORMATS: readonly {magic: Buffer; read: Read}[] = [
  {
    magic: ZIP,
    read: () => ({
      what: 'an Excel workbook (.xlsx) or another ZIP file that arrives through a pipe',
      fix: 'a workbook cannot be read from a pipe: save it as a file, and name that file; unpack it first if it is an archive',
    }),
  },
  {
    magic: Buffer.from('d0cf11e0a1b11ae1', 'hex'), // Compound File Binary
    read: (_, fd) =>
      isEncrypted(fd)
        ? {
            what: 'a workbook that is encrypted with a password',
            fix: 'open it in Excel, remove the password under File > Info > Protect Workbook, save it, then plan again',
          }
        : {what: 'an Excel workbook (.xls)', fix: SAVE_AS_XLSX},
  },
  {magic: Buffer.from('%PDF-'), read: () => ({what: 'a PDF', fix: 'export the payments as CSV'})},
  {
    magic: Buffer.from('1f8b', 'hex'),
    read: () => ({
      what: 'compressed with gzip',
      fix: 'decompress it first: gunzip -c FILE.csv.gz > FILE.csv',
    }),
  },
  {
    magic: Buffer.from('{\\rtf'),
    read: () => ({what: 'a text document (.rtf)', fix: 'export the payments as CSV'}),
  },
];

/** Tables of web pages are often saved with the ending .xls. */
const MARKUP = /^(?:\ufeff)?\s*<(?:!doctype|html|table|\?xml|head|meta)/iu;

/**
 * Returns the format that the first bytes of a file identify, if it is certainly not CSV.
 * @param fd the file, if it can be read at any place
 */
export function foreignFormat(head: Buffer, fd?: number): ForeignFormat | undefined {
  const found = FORMATS.find(({magic}) => head.subarray(0, magic.length).equals(magic));
  if (found !== undefined) return found.read(head, fd);
  if (MARKUP.test(head.toString('utf8'))) return {what: 'a web page or XML', fix: SAVE_AS_XLSX};
  return undefined;
}

/** Name of the part of an encrypted workbook that contains the workbook. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
const PIECE_BYTES = 1024 * 1024;

function isEncrypted(fd: number | undefined): boolean {
  if (fd === undefined) return false;
  const piece = Buffer.alloc(PIECE_BYTES + ENCRYPTED.length);
  for (let at = 0; ; at += PIECE_BYTES) {
    const read = readSync(fd, piece, 0, piece.length, at);
    if (piece.subarray(0, read).includes(ENCRYPTED)) return true;
    if (read < piece.length) return false;
  }
}
