import {PartyImport} from '../../cli/parties/command.ts';

export default class PayeesImport extends PartyImport {
  static override summary = 'Create the payees, with a bank account or card each, from a CSV or Excel file';
  static override description =
    'Each reference is imported once: the same command continues after an interruption. Account numbers are sent, and are not kept or shown. The first line names the columns: reference, name, country, and for the US routing_number and account_number; elsewhere iban, sort_code, institution_number, transit_number, bsb or clabe. Or a card: card_number, exp_month, exp_year. Also type, email, currency, holder_name, account_type, metadata.KEY.';
  static override examples = [
    '<%= config.bin %> payees import payees.csv --dry-run',
    '<%= config.bin %> payees import payees.csv --wait',
  ];
  readonly kind = 'payee';
}
