/**
 * Bank accounts by country (assumptions 12 and 86): the interface document says that "field requirements differ by type
 * and market", and shows none. Free of zod, because commands read it before they ask for anything.
 */
export interface MarketField {
  /** Its name within `bank_account`. */
  name: string;
  label: string;
  /** The number as it is sent, without blanks and hyphens. */
  form: RegExp;
  /** What a value of another form lacks. */
  must: string;
  /** Whether a value of this form can exist; absent if it has no check digits. */
  check?: (value: string) => boolean;
}

export interface Market {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** ISO 4217. */
  currency: string;
  /** Fields that may be shown and typed: they name a bank or a branch. */
  bank: readonly MarketField[];
  /** The number of the account, of which only the last four characters are shown. */
  account: MarketField;
  /** Whether the account is a checking or a savings account. */
  hasType: boolean;
}

const digits = (length: string, count: string) => ({
  form: new RegExp(`^\\d{${length}}$`),
  must: `must have ${count} digits`,
});

const ROUTING: MarketField = {
  ...{name: 'routing_number', label: 'Routing number', ...digits('9', '9')},
  check: (value) => Number(value) > 0 && sumOf(value, (digit, weight) => digit * weight) % 10 === 0,
};
const CLABE: MarketField = {
  ...{name: 'clabe', label: 'CLABE', ...digits('18', '18')},
  check: (value) => {
    const sum = sumOf(value.slice(0, -1), (digit, weight) => (digit * weight) % 10);
    return Number(value) > 0 && (sum + Number(value.at(-1))) % 10 === 0;
  },
};
const accountNumber = (length: string, count: string): MarketField => ({
  ...{name: 'account_number', label: 'Account number', ...digits(length, count)},
});
const bankField = (name: string, label: string, length: string): MarketField => ({
  ...{name, label, ...digits(length, length)},
});

/** The number of characters of an IBAN by country (ISO 13616 registry). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  ...{AT: 20, BE: 16, DE: 22, ES: 24, FI: 18, FR: 27, IE: 22, IT: 27, NL: 18, PT: 25},
};

const iban = (country: string, length: number): MarketField => ({
  ...{name: 'iban', label: 'IBAN', form: new RegExp(`^${country}\\d{2}[0-9A-Z]{${length - 4}}$`)},
  must: `must have ${length} characters, beginning with ${country} and two digits`,
  check: hasIbanChecksum,
});

const MARKETS: readonly Market[] = [
  {country: 'US', currency: 'USD', bank: [ROUTING], account: accountNumber('4,17', '4 to 17'), hasType: true},
  {
    ...{country: 'GB', currency: 'GBP', bank: [bankField('sort_code', 'Sort code', '6')]},
    ...{account: accountNumber('8', '8'), hasType: false},
  },
  {
    ...{country: 'CA', currency: 'CAD'},
    bank: [
      bankField('institution_number', 'Institution number', '3'),
      bankField('transit_number', 'Transit number', '5'),
    ],
    ...{account: accountNumber('7,12', '7 to 12'), hasType: false},
  },
  {
    ...{country: 'AU', currency: 'AUD', bank: [bankField('bsb', 'BSB', '6')]},
    ...{account: accountNumber('4,10', '4 to 10'), hasType: false},
  },
  {country: 'MX', currency: 'MXN', bank: [], account: CLABE, hasType: false},
  ...Object.entries(IBAN_LENGTHS).map(([country, length]) => ({
    ...{country, currency: 'EUR', bank: [], account: iban(country, length), hasType: false},
  })),
];

/** The countries whose bank accounts have known fields. */
export const MARKET_COUNTRIES: readonly string[] = MARKETS.map(({country}) => country);

export const marketOf = (country: string): Market | undefined =>
  MARKETS.find((market) => market.country === country);

/** Every field of a bank account that names a bank or a branch, once. */
export const BANK_FIELDS: readonly MarketField[] = MARKETS.flatMap(({bank}) => bank);

/** The account numbers of all countries. */
export const ACCOUNT_FIELDS: readonly MarketField[] = MARKETS.map(({account}) => account);

/** A number as it is sent: without blanks and hyphens, letters in upper case. */
export const withoutBlanks = (typed: string): string => typed.replace(/[\s-]/g, '').toUpperCase();

/** Whether a text looks like the number of an account or card, put where a name belongs. */
export function isNumberLike(text: string): boolean {
  const plain = withoutBlanks(text);
  return /^\d{6,}$/.test(plain) || /^[A-Z]{2}\d{2}(?=.*\d)[A-Z0-9]{8,30}$/.test(plain);
}

/** What is wrong with a value, as it is sent; undefined if nothing is known to be wrong. Never contains the value. */
export function wrongIn({form, must, check}: MarketField, value: string): string | undefined {
  if (!form.test(value)) return must;
  return check?.(value) === false ? 'is not valid; check each digit' : undefined;
}

/** `routing number`, but `IBAN`. */
export const inText = (label: string): string => (/^[A-Z]+$/.test(label) ? label : label.toLowerCase());

/** The weights 3, 7, 1 are those of ABA numbers and of CLABEs. */
const sumOf = (value: string, termOf: (digit: number, weight: number) => number): number =>
  [...value].reduce((sum, digit, at) => sum + termOf(Number(digit), [3, 7, 1][at % 3] ?? 0), 0);

/** ISO 7064, mod 97-10: the country and check digits at the end, letters as numbers from 10 to 35. */
function hasIbanChecksum(value: string): boolean {
  const moved = value.slice(4) + value.slice(0, 4);
  let rest = 0;
  for (const character of moved) {
    const number = Number.parseInt(character, 36);
    rest = (rest * (number > 9 ? 100 : 10) + number) % 97;
  }
  return rest === 1;
}
