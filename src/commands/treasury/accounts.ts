import TreasuryAccountsList from './accounts/list.ts';

/** The short form of `treasury accounts list`. */
export default class TreasuryAccounts extends TreasuryAccountsList {
  static override hidden = true;
}
