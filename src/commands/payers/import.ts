import {PartyImport} from '../../cli/parties/command.ts';

export default class PayersImport extends PartyImport {
  static override summary = 'Create the payers, with a bank account each, from a CSV or Excel file';
  static override description =
    'Each reference is imported once: the same command continues after an interruption. Account numbers are sent, and are not kept or shown. The first line names the columns: reference, name, country, and for the US routing_number and account_number; elsewhere iban, sort_code, institution_number, transit_number, bsb or clabe. Also type, email, currency, holder_name, account_type, metadata.KEY.';
  static override examples = [
    '<%= config.bin %> payers import payers.csv --dry-run',
    '<%= config.bin %> payers import payers.csv --wait',
  ];
  readonly kind = 'payer';
}
