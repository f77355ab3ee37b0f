import {type FieldPatterns, fieldPatterns} from './field-patterns.ts';
import type {Printable} from '../narrow.ts';
import {protectedValues} from './protected-values.ts';
import {factsOf, foldNames, type NameFacts, protectionOf} from './secret-names.ts';
import {
  HIDDEN,
  isMasked,
  isOurMask,
  looksLikeNumber,
  looksLikeSecret,
  maskKey,
  maskNumber,
} from './secret-shapes.ts';

/** Fields that are protected by their names alone: the known ones, and those that a profile adds. */
export class NamedFields {
  #own: ReadonlySet<string> = new Set();
  #patterns: FieldPatterns | undefined;

  /** Additional names of number fields. */
  add(names: readonly string[]): void {
    this.#own = new Set([...this.#own, ...foldNames(names)]);
    this.#patterns = undefined;
  }

  /** The values of protected fields of a JSON value, as text. */
  valuesIn(json: Printable): string[] {
    return protectedValues(json, this.#own);
  }

  /** A value as it is shown under a name. */
  masked(name: NameFacts, value: string): string {
    const protection = protectionOf(name, this.#own);
    if (protection === undefined || value === '' || isOurMask(value)) return value;
    switch (protection) {
      case 'secret':
        return /^(?:test|live)_/.test(value) ? maskKey(value) : HIDDEN;
      case 'number':
        return isMasked(value) ? value : maskNumber(value);
      case 'loose-number':
        return looksLikeNumber(value) ? maskNumber(value) : value;
      case 'loose-secret':
        return looksLikeSecret(value) ? maskKey(value) : value;
    }
  }

  /** A text in which the values of protected fields are masked: `account_number=…`, and fields of JSON. */
  maskedIn(text: string): string {
    const {quoted, bare} = (this.#patterns ??= fieldPatterns(this.#own));
    return text
      .replace(
        quoted,
        (all, before: string, _quote: string, name: string, inQuotes?: string, plain?: string) => {
          const value = inQuotes ?? plain ?? ''; // the pattern has one of the two
          const shown = this.masked(factsOf(name), value);
          return shown === value ? all : `${before}"${shown}"`;
        },
      )
      .replace(
        bare,
        (all, before: string, plain: string | undefined, inQuery: string | undefined, value: string) => {
          const name = plain ?? inQuery ?? ''; // the pattern has one of the two
          const isField = /\d/.test(value) || before.endsWith('='); // not `secret: is required`
          const shown = isField ? this.masked(factsOf(name), value) : value;
          return shown === value ? all : before + shown;
        },
      );
  }
}
