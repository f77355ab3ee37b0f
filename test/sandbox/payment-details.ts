/** Bodies of payment methods that every check lets pass, with what a test wants otherwise. */
export const bankAccount = (account: object = {}, method: object = {}): object => ({
  type: 'bank_account',
  country_code: 'US',
  currency_code: 'USD',
  ...method,
  bank_account: {
    account_number: '000123456789',
    routing_number: '110000000',
    account_type: 'checking',
    holder_name: 'Elm Works',
    ...account,
  },
});

export const card = (details: object = {}, method: object = {}): object => ({
  type: 'card',
  country_code: 'US',
  currency_code: 'USD',
  ...method,
  card: {number: '4000056655665556', exp_month: 12, exp_year: 2030, ...details},
});
