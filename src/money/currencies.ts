/**
 * ISO 4217 List One (currencies and funds in force), as maintained by SIX, up to amendment 180: the codes in force
 * on 1 January 2026 (BGN gone, XCG instead of ANG, XAD and ZWG in). Pinned, and grouped by exponent so that a reader can check it.
 *
 * Never replace this with `Intl`: CLDR carries the decimals that people display, not those that a ledger counts in, and
 * differs from ISO 4217 on COP, HUF, IDR, IQD and two dozen more. That would be an error of 100 or 1,000 times.
 */
const CODES_BY_EXPONENT = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
    'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ' +
    'IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
    'MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
    'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG ' +
    'YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
} as const;

/** "N.A." in the list: metals, baskets, the test code. Amounts in them cannot be written in minor units. */
const CODES_WITHOUT_EXPONENT = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX';

/** Codes that are no longer in force but still found in files, with their successors. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ['ANG', 'XCG'],
  ['BGN', 'EUR'],
  ['BYR', 'BYN'],
  ['CUC', 'CUP'],
  ['HRK', 'EUR'],
  ['LTL', 'EUR'],
  ['LVL', 'EUR'],
  ['MRO', 'MRU'],
  ['SLL', 'SLE'],
  ['STD', 'STN'],
  ['VEF', 'VES'],
  ['ZMK', 'ZMW'],
  ['ZWL', 'ZWG'],
]);

/** Every code in force -> number of decimals of its minor unit; null if ISO 4217 defines none. */
export const CURRENCIES: ReadonlyMap<string, number | null> = exponentsByCode();

function exponentsByCode(): Map<string, number | null> {
  const exponents = new Map<string, number | null>();
  for (const [exponent, codes] of Object.entries(CODES_BY_EXPONENT))
    for (const code of codes.split(' ')) exponents.set(code, Number(exponent));
  for (const code of CODES_WITHOUT_EXPONENT.split(' ')) exponents.set(code, null);
  return exponents;
}

/** Decimals of the minor unit (USD 2, JPY 0, KWD 3); undefined for a code that is unknown or has no minor unit. */
export function exponentOf(code: string): number | undefined {
  return CURRENCIES.get(code) ?? undefined;
}

/** The successor of a code that is no longer in force: `successorOf('BGN')` is `EUR`. */
export function successorOf(code: string): string | undefined {
  return SUCCESSORS.get(code);
}
