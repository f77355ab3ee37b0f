/** A published example of a bank account: its fields in the order of the market, and where it is published. */
export interface PublishedAccount {
  fields: Readonly<Record<string, string>>;
  source: string;
}

const REGISTRY = 'example of the country, IBAN registry (ISO 13616)';
const STRIPE = 'docs.stripe.com, test account numbers';
const WIKIPEDIA = 'Wikipedia, "International Bank Account Number"';
/** One example of each country, which many libraries and sites show. */
const LIBRARIES = 'test data of public IBAN libraries';
const ABA = 'ABA routing number published by the bank';
const VOCALINK = 'VocaLink, "Validating account numbers", test cases';

const ibans = (...all: readonly (readonly [iban: string, source: string])[]): PublishedAccount[] =>
  all.map(([iban, source]) => ({fields: {iban}, source}));
const us = (routing_number: string, source: string): PublishedAccount => ({
  fields: {routing_number, account_number: '000123456789'},
  source,
});
const gb = (sort_code: string, account_number: string, source: string): PublishedAccount => ({
  fields: {sort_code, account_number},
  source,
});
const ca = (institution_number: string, transit_number: string, account_number: string, source: string) => ({
  fields: {institution_number, transit_number, account_number},
  source,
});
const au = (bsb: string, account_number: string, source: string): PublishedAccount => ({
  fields: {bsb, account_number},
  source,
});
const clabes = (...all: readonly (readonly [clabe: string, source: string])[]): PublishedAccount[] =>
  all.map(([clabe, source]) => ({fields: {clabe}, source}));

export const PUBLISHED: Readonly<Record<string, readonly PublishedAccount[]>> = {
  US: [
    us('110000000', STRIPE),
    us('021000021', `${ABA} (JPMorgan Chase)`),
    us('011401533', `${ABA} (Citizens); also in the sandbox of Plaid`),
    us('122105155', `${ABA} (U.S. Bank)`),
  ],
  GB: [
    gb('108800', '00012345', STRIPE),
    gb('601613', '31926819', 'part of the British example, IBAN registry (ISO 13616)'),
    gb('089999', '66374958', VOCALINK),
    gb('107999', '88837491', VOCALINK),
    gb('202959', '63748472', VOCALINK),
  ],
  CA: [
    ca('000', '11000', '000123456789', STRIPE),
    ca('000', '11000', '900123456789', STRIPE),
    ca('021', '01140', '111122220000', 'plaid.com/docs, EFT numbers of the sandbox'),
  ],
  AU: [
    au('000000', '000123456', STRIPE),
    au('000000', '900123456', STRIPE),
    au('000000', '111111113', STRIPE),
  ],
  MX: clabes(
    ['032180000118359719', 'Wikipedia, "CLABE"'],
    ['000000001234567897', STRIPE],
    ['002010077777777771', 'documentation of the npm package clabe-validator'],
  ),
  DE: ibans(
    ['DE89370400440532013000', REGISTRY],
    ['DE75512108001245126199', LIBRARIES],
    ['DE12500105170648489890', LIBRARIES],
  ),
  FR: ibans(
    ['FR1420041010050500013M02606', REGISTRY],
    ['FR7630006000011234567890189', WIKIPEDIA],
    ['FR7630066100410001057380116', LIBRARIES],
  ),
  ES: ibans(
    ['ES9121000418450200051332', REGISTRY],
    ['ES0700120345030000067890', STRIPE],
    ['ES7921000813610123456789', LIBRARIES],
  ),
  IT: ibans(
    ['IT60X0542811101000000123456', REGISTRY],
    ['IT40S0542811101000000123456', STRIPE],
    ['IT68D0300203280000400162854', LIBRARIES],
  ),
  NL: ibans(
    ['NL91ABNA0417164300', REGISTRY],
    ['NL39RABO0300065264', STRIPE],
    ['NL02ABNA0123456789', LIBRARIES],
  ),
  IE: ibans(
    ['IE29AIBK93115212345678', REGISTRY],
    ['IE64IRCE92050112345678', WIKIPEDIA],
    ['IE92BOFI90001710027952', LIBRARIES],
  ),
  BE: ibans(['BE68539007547034', REGISTRY], ['BE62510007547061', STRIPE], ['BE71096123456769', LIBRARIES]),
  AT: ibans(
    ['AT611904300234573201', REGISTRY],
    ['AT483200000012345864', LIBRARIES],
    ['AT022050302101023600', LIBRARIES],
  ),
  PT: ibans(
    ['PT50000201231234567890154', REGISTRY],
    ['PT50002700000001234567833', LIBRARIES],
    ['PT50003506830000000784311', LIBRARIES],
  ),
  FI: ibans(
    ['FI2112345600000785', REGISTRY],
    ['FI4250001510000023', 'Wikipedia in Finnish, "IBAN"'],
    ['FI1410093000123458', LIBRARIES],
  ),
};
