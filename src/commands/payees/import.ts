import {PartyImport} from '../../cli/parties/command.ts';

export default class PayeesImport extends PartyImport {
  static override summary = 'Create the payees, with a bank account or card each, from a CSV or Excel file';
  static override description =
    'Each reference is imported once: the same command continues after an interruption. Account numbers are sent, and are not kept or shown.';
  static override examples = [
    '<%= config.bin %> payees import payees.csv --dry-run',
    '<%= config.bin %> payees import payees.csv --wait',
  ];
  readonly kind = 'payee';
}
