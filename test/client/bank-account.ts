/** The body of a bank account, typed as the client takes it. */
export const BANK_ACCOUNT = {
  type: 'bank_account',
  country_code: 'US',
  currency_code: 'USD',
  bank_account: {
    account_number: '000123456789',
    routing_number: '021000021',
    account_type: 'checking',
    holder_name: 'A',
  },
} as const;
