import type {Printable} from '../narrow.ts';
import type {OutputSettings} from './formats.ts';
import {type KnownFields, unknownField, unknownFields} from './records/known-fields.ts';
import type {View} from './records/view.ts';

/** Checks the names in `--fields` once, against a whole result or the first part of one. */
export class FieldCheck {
  readonly #settings: OutputSettings;
  readonly #known: KnownFields | undefined;
  readonly #warn: (text: string) => void;
  #isDone = false;

  /** @param known absent: any name is accepted */
  constructor(settings: OutputSettings, known: KnownFields | undefined, warn: (text: string) => void) {
    this.#settings = settings;
    this.#known = known;
    this.#warn = warn;
  }

  /** Names that no record has: refused before anything is written, or a warning after a write. */
  ofRecords(records: readonly Printable[], view: View | undefined): void {
    this.ofPieces([records], view);
  }

  /** Checks a result in pieces; reads only as many of them as it needs to find all names. */
  ofPieces(pieces: Iterable<readonly Printable[]>, view: View | undefined): void {
    if (this.#known === undefined || this.#isDone) return;
    this.#isDone = true;
    const {fields, format} = this.#settings;
    const known = {paths: this.#known.paths, view, major: format === 'csv' || format === 'table'};
    let first: readonly Printable[] | undefined;
    let unknown: readonly string[] = fields;
    for (const records of pieces) {
      first ??= records;
      unknown = unknownFields(unknown, records, known);
      if (unknown.length === 0) return;
    }
    for (const field of unknown) {
      const error = unknownField(field, first ?? [], known);
      if (this.#known.onUnknown === 'refuse') throw error;
      this.#warn(`${error.message}. ${error.hint}`);
    }
  }

  ofText(): void {
    if (this.#settings.fields.length === 0 || this.#isDone) return;
    this.#isDone = true;
    this.#warn(
      '--fields selects fields of records, but this result is text; use -o json --fields to select fields of the result',
    );
  }
}
