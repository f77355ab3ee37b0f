import {CURRENCIES, successorOf} from './currencies.ts';

/**
 * Signs and abbreviations, each with all currencies that are written with it. Pinned, since what `Intl` knows depends on
 * the Node version. A sign that is used for currencies of several countries has all of them, also where another form is
 * usual ("$" for AUD): the table shows which currencies a sign rules out.
 */
const SIGNS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    $:
      'ARS AUD BBD BMD BND BOB BRL BSD BZD CAD CLP COP CUP CVE DOP FJD GYD HKD JMD KYD LRD MOP MXN NAD NIO NZD ' +
      'SBD SGD SRD SVC TOP TTD TWD USD USN UYU WST XCD ZWG',
    US$: 'USD USN',
    U$S: 'USD USN',
    AU$: 'AUD',
    A$: 'AUD',
    CA$: 'CAD',
    CDN$: 'CAD',
    C$: 'CAD NIO',
    NZ$: 'NZD',
    HK$: 'HKD',
    NT$: 'TWD',
    S$: 'SGD',
    MX$: 'MXN',
    R$: 'BRL',
    RD$: 'DOP',
    J$: 'JMD',
    TT$: 'TTD',
    EC$: 'XCD',
    T$: 'TOP',
    MOP$: 'MOP',
    $U: 'UYU',
    $b: 'BOB',
    '€': 'EUR',
    '£': 'EGP FKP GBP GIP LBP SDG SHP SSP SYP',
    'E£': 'EGP',
    '¥': 'CNY JPY',
    円: 'JPY',
    元: 'CNY HKD MOP TWD',
    '₩': 'KPW KRW',
    '₹': 'INR',
    '₨': 'INR LKR MUR NPR PKR SCR',
    Rs: 'INR LKR MUR NPR PKR SCR',
    '₽': 'RUB',
    '₴': 'UAH',
    '₺': 'TRY',
    TL: 'TRY',
    '₪': 'ILS',
    '₫': 'VND',
    '฿': 'THB',
    '₱': 'CUP PHP',
    '₦': 'NGN',
    '₵': 'GHS',
    'GH₵': 'GHS',
    '₡': 'CRC SVC',
    '₲': 'PYG',
    '₭': 'LAK',
    '₮': 'MNT',
    '₸': 'KZT',
    '₼': 'AZN',
    '₾': 'GEL',
    '⃀': 'KGS',
    '֏': 'AMD',
    '৳': 'BDT',
    '៛': 'KHR',
    '؋': 'AFN',
    '﷼': 'IRR OMR QAR SAR YER',
    kr: 'DKK ISK NOK SEK',
    Fr: 'CHF XAF XOF XPF',
    SFr: 'CHF',
    CFA: 'XAF XOF',
    FCFA: 'XAF XOF',
    zł: 'PLN',
    Kč: 'CZK',
    Ft: 'HUF',
    lei: 'MDL RON',
    лв: 'KGS KZT UZS',
    руб: 'BYN RUB',
    грн: 'UAH',
    дин: 'RSD',
    ден: 'MKD',
    KM: 'BAM',
    Lek: 'ALL',
    Br: 'BYN ETB',
    RM: 'MYR',
    Rp: 'IDR',
    'S/': 'PEN',
    'B/': 'PAB',
    Bs: 'BOB VES',
    'د.إ': 'AED',
    'ر.س': 'SAR',
    'ر.ق': 'QAR',
    'ر.ع': 'OMR',
    'د.ك': 'KWD',
    'د.ب': 'BHD',
    'د.ا': 'JOD',
    'ج.م': 'EGP',
    'ل.ل': 'LBP',
    'د.م': 'MAD',
    'د.ت': 'TND',
    'د.ج': 'DZD',
    'د.ع': 'IQD',
  }).map(([sign, codes]) => [sign, codes.split(' ')]),
);

/** Signs in full width, as East Asian keyboards type them: `＄`. */
const WIDE_SIGNS = /[\uff04\uffe0-\uffe6]/gu;

/**
 * The currencies that are written with a sign, an abbreviation or a code: `¥` -> CNY, JPY; `EUR` -> EUR. Undefined for
 * an unknown one.
 */
export function currenciesOfSign(text: string): readonly string[] | undefined {
  const sign = text.replace(WIDE_SIGNS, (wide) => wide.normalize('NFKC')).replace(/\.$/u, '');
  if (CURRENCIES.has(sign) || successorOf(sign) !== undefined) return [sign];
  return SIGNS.get(sign);
}

/** Why a sign contradicts the currency of a row: `€, but the currency of the row is USD; …`. Undefined if it does not. */
export function contradiction(sign: string, currency: string): string | undefined {
  if (!CURRENCIES.has(currency) || currenciesOfSign(sign)?.includes(currency) !== false) return undefined;
  return `${sign}, but the currency of the row is ${currency}; correct the one that is wrong`;
}
