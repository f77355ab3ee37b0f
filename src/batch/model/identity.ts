import {hash} from 'node:crypto';
import {firstUnseen} from '../../sanitize/harmful.ts';
import {isFormula} from '../../spreadsheet.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from './kinds.ts';
import {FIELD_NAMES, type RowContent} from './row-fields.ts';

/** Metadata key that carries the reference. If all local state is lost, it is the only way to find the record. */
export const REFERENCE_METADATA_KEY = 'remit_reference';
export const DEFAULT_NAMESPACE = 'default';
const REFERENCE_LENGTH = 128;

/**
 * Normalises a reference to NFC without surrounding spaces. References are compared, hashed and sent in this form.
 */
export const normaliseReference = (text: string): string => text.normalize('NFC').trim();

/** Removes differences of case and spaces: two references with the same fold are probably one payment typed twice. */
export const foldReference = (reference: string): string => reference.toLowerCase().replace(/\s+/gu, '');

export interface ReferenceProblem {
  code: 'missing' | 'too-long' | 'not-printable' | 'formula' | 'excel-damaged';
  message: string;
}

/**
 * Why a normalised reference is invalid, or undefined. A reference that begins like a formula is refused because
 * results are opened in spreadsheets. A reference in scientific notation, or with more digits than a spreadsheet
 * keeps and zeros at the end, was damaged by a spreadsheet.
 */
export function checkReference(reference: string): ReferenceProblem | undefined {
  if (reference === '') return {code: 'missing', message: 'the reference is empty'};
  if ([...reference].length > REFERENCE_LENGTH)
    return {code: 'too-long', message: `the reference is longer than ${REFERENCE_LENGTH} characters`};
  const unseen = firstUnseen(reference);
  if (unseen !== undefined)
    return {
      code: 'not-printable',
      message: `the reference contains the character ${codePointOf(unseen)}, which cannot be seen`,
    };
  if (isFormula(reference))
    return {
      code: 'formula',
      message: `the reference begins with ${reference[0]}, so a spreadsheet could run it as a formula`,
    };
  if (/^\d(?:[.,]\d+)?E\+\d+$/i.test(reference))
    return {
      code: 'excel-damaged',
      message:
        'a spreadsheet has rewritten this reference as a number; format the column as text and export again',
    };
  if (/^\d{16,}$/.test(reference) && /^0+$/.test(reference.slice(15)))
    return {
      code: 'excel-damaged',
      message:
        'a spreadsheet has probably cut this reference to 15 digits; format the column as text and export again',
    };
  return undefined;
}

export const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The space in which each generation of a reference has one key. */
export interface KeySpace {
  kind: Kind;
  mode: Mode;
  namespace: string;
}

/** What identifies a key within its space. */
export interface Keyed {
  reference: string;
  generation: number;
}

/**
 * The idempotency key of a row. It depends only on what the payment is for, never on row number, amount, file or
 * batch. It has 43 characters of base64url; docs/internals/batch-format.md has a test vector.
 */
export const idempotencyKey = (identity: KeySpace & Keyed): string => keyMaker(identity)(identity);

/** Makes the keys of one space: SHA-256 of the JSON of [1, kind, mode, namespace, reference, generation]. */
export function keyMaker({kind, mode, namespace}: KeySpace): (keyed: Keyed) => string {
  const space = JSON.stringify([1, kind, mode, namespace]).slice(0, -1); // the same for each row
  return ({reference, generation}) =>
    hash('sha256', `${space},${JSON.stringify(reference)},${generation}]`, 'base64url');
}

/** Every fingerprint contains these first fields of a row, even when they have no value. */
const FIRST_FIELDS = 8;

const AMOUNT_AT = FIELD_NAMES.indexOf('amount');

/** Hashes the content to 132 bits of SHA-256, in base64url. */
export function fingerprintOf(content: RowContent): string {
  const values: (string | number | null)[] = FIELD_NAMES.map((name) => content[name]);
  values[AMOUNT_AT] = String(content.amount);
  return fingerprintOfValues(values);
}

/** Later fields without a value are left out at the end, so that a row without them keeps its fingerprint. */
export function fingerprintOfValues(values: readonly (string | number | null)[]): string {
  let length = values.length;
  while (length > FIRST_FIELDS && values[length - 1] === null) length--;
  const text = JSON.stringify(length < values.length ? values.slice(0, length) : values);
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Identity of a row in a file without references: its content and its occurrence number. */
export const referenceOfContent = (fingerprint: string, occurrence: number): string =>
  `content:${fingerprint}:${occurrence}`;

const BATCH_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** A name ending in `.lock` could be mistaken for the lock of another batch. */
export const isBatchId = (text: string): boolean => BATCH_ID.test(text) && !text.endsWith('.lock');
export const isNamespace = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text);

/** `payouts-2026-11.csv` with some content -> `payouts-2026-11-1f0c9a3b`. */
export function deriveBatchId(fileName: string, contentHash: string): string {
  const stem = fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/g, '')
    .slice(0, 48);
  return `${stem === '' ? 'batch' : stem}-${contentHash.slice(0, 8)}`;
}
