import {exactJson} from '../../json/exact.ts';
import {ExactNumber, isList, isObject, type Json, type JsonFields} from '../../narrow.ts';
import {cleanLine} from '../../sanitize/harmful.ts';

/** Names of money fields in similar APIs. */
const MONEY_NAME = /amount|cents|minor|major|total|value|money|price|gross|usd/i;
/** `125.00`, `USD 125`, `$5,000.00`: text that can only be an amount. */
const MONEY_TEXT = /^(?:[A-Z]{3} ?|[$€£¥] ?)?-?\d[\d,]*(?:\.\d+)?(?: ?[A-Z]{3})?$/;
/** `5e5`: some services read that as a number. */
const EXPONENT_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)e[+-]?\d+$/i;
/**
 * Text that some reader may take for a number, once spaces and other separators are removed: `+500000`, `500.000,00`,
 * `0x7a120`.
 */
const NUMBER_TEXT = /^(?:[+-]?[.,]*\d[\d.,]*(?:e[+-]?\d+)?|0[xob][\da-f]+)$/i;
/** Numbers that are not amounts. */
const OTHER_NUMBERS = new Set(['exp_month', 'exp_year']);
/** The client's own words; the interface document allows only text here. */
const METADATA = new Set(['metadata', 'payout_metadata', 'client_metadata']);
const MOST_VALUES = 10_000;

interface Search {
  /** Digits alone count as well: in a request, no field may contain anything that is not understood. */
  strict: boolean;
  /** Top-level names that are read elsewhere. */
  except?: readonly string[];
}

/**
 * The first value in a JSON object that may be an amount of money, for a message: `total (5000)`. Prefers false
 * positives, because an amount that it misses is not checked against a cap.
 */
export function moneyTrace(root: JsonFields, {strict, except = []}: Search): string | undefined {
  const open: {value: Json; path: string; name: string; depth: number}[] = [
    {value: root, path: '', name: '', depth: 0},
  ];
  for (let seen = 0, next = open.pop(); next !== undefined; seen += 1, next = open.pop()) {
    if (seen > MOST_VALUES) return `more than ${MOST_VALUES} values`;
    const {value, path, name, depth} = next;
    if (isObject(value) || isList(value)) {
      if (METADATA.has(name) && depth === 1 && Object.values(value).every((text) => typeof text === 'string'))
        continue;
      for (const [key, inner] of Object.entries(value).reverse()) {
        if (depth === 0 && except.includes(key)) continue;
        const own = Array.isArray(value) ? name : key;
        open.push({value: inner, path: path === '' ? key : `${path}.${key}`, name: own, depth: depth + 1});
      }
    } else if (isMoney(name, value, strict)) return `${cleanLine(path)} (${shown(value)})`;
  }
  return undefined;
}

function isMoney(name: string, value: Json, strict: boolean): boolean {
  if (typeof value === 'number' || value instanceof ExactNumber) return !OTHER_NUMBERS.has(name);
  if (typeof value !== 'string') return false;
  if (MONEY_NAME.test(name)) return value.trim() !== '';
  const text = value.normalize('NFKC').trim();
  if (/^\d+$/.test(value)) return strict;
  if (MONEY_TEXT.test(text) || EXPONENT_TEXT.test(text)) return true;
  return strict && NUMBER_TEXT.test(text.replaceAll(/[\s'’_]/g, ''));
}

const shown = (value: Json): string => cleanLine(exactJson(value)).slice(0, 60);
