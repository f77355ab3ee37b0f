/** A bank account of each known country that every check lets pass. The IBANs are the examples of the ISO 13616 registry. */
export const ACCOUNTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  US: {
    account_number: '000123456789',
    routing_number: '110000000',
    account_type: 'checking',
    holder_name: 'Elm Works',
  },
  GB: {sort_code: '123456', account_number: '12345678', holder_name: 'Elm Works'},
  CA: {
    institution_number: '004',
    transit_number: '12345',
    account_number: '1234567',
    holder_name: 'Elm Works',
  },
  AU: {bsb: '062000', account_number: '12345678', holder_name: 'Elm Works'},
  MX: {clabe: '032180000118359719', holder_name: 'Elm Works'},
  DE: {iban: 'DE89370400440532013000', holder_name: 'Elm Works'},
  FR: {iban: 'FR1420041010050500013M02606', holder_name: 'Elm Works'},
  ES: {iban: 'ES9121000418450200051332', holder_name: 'Elm Works'},
  IT: {iban: 'IT60X0542811101000000123456', holder_name: 'Elm Works'},
  NL: {iban: 'NL91ABNA0417164300', holder_name: 'Elm Works'},
  IE: {iban: 'IE29AIBK93115212345678', holder_name: 'Elm Works'},
  BE: {iban: 'BE68539007547034', holder_name: 'Elm Works'},
  AT: {iban: 'AT611904300234573201', holder_name: 'Elm Works'},
  PT: {iban: 'PT50000201231234567890154', holder_name: 'Elm Works'},
  FI: {iban: 'FI2112345600000785', holder_name: 'Elm Works'},
};
