import {GENERAL, readFormat, type ShownAs} from './number-format.ts';
import {isStrike, type XmlHandler} from './xml.ts';

/** Reads how the cells of a workbook are shown: style number -> format. */
export class Styles implements XmlHandler {
  readonly #codes = new Map<number, string>();
  readonly #formatIds: number[] = [];
  readonly #fontIds: number[] = [];
  /** Whether each font is struck through. */
  readonly #fonts: boolean[] = [];
  readonly #formats = new Map<number, ShownAs>();
  /** Whether each format of a rule strikes text through or shows numbers in another way. */
  readonly #ruleFormats: boolean[] = [];
  #isInRules = false;
  #isInCells = false;
  #isInFonts = false;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'dxfs') this.#isInRules = true;
    else if (this.#isInRules) this.#openRule(name, attributes);
    else if (name === 'numFmt')
      this.#codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
    else if (name === 'cellXfs') this.#isInCells = true;
    else if (name === 'fonts') this.#isInFonts = true;
    else if (name === 'font' && this.#isInFonts) this.#fonts.push(false);
    else if (name === 'strike' && this.#isInFonts) this.#fonts[this.#fonts.length - 1] = isStrike(attributes);
    else if (name === 'xf' && this.#isInCells) {
      this.#formatIds.push(Number(attributes['numFmtId'] ?? 0));
      this.#fontIds.push(Number(attributes['fontId'] ?? 0));
    }
  }

  #openRule(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'dxf') this.#ruleFormats.push(false);
    else if (name === 'numFmt' || (name === 'strike' && isStrike(attributes)))
      this.#ruleFormats[this.#ruleFormats.length - 1] = true;
  }

  text(): void {
    // only attributes matter
  }

  close(name: string): void {
    if (name === 'dxfs') this.#isInRules = false;
    else if (name === 'cellXfs') this.#isInCells = false;
    else if (name === 'fonts') this.#isInFonts = false;
  }

  /** Whether cells of a style are struck through. */
  isStruck(style: number): boolean {
    return this.#fonts[this.#fontIds[style] ?? 0] ?? false;
  }

  /** Whether a rule with this format strikes text through, or shows numbers in another way. */
  changesValues(dxfId: number): boolean {
    return this.#ruleFormats[dxfId] ?? false;
  }

  /** @param style the number of a style; a cell without one is General */
  format(style: number): ShownAs {
    const known = this.#formats.get(style);
    if (known !== undefined) return known;
    const id = this.#formatIds[style];
    const format =
      id === undefined
        ? style === 0
          ? GENERAL
          : readFormat(-1, undefined)
        : readFormat(id, this.#codes.get(id));
    this.#formats.set(style, format);
    return format;
  }
}
