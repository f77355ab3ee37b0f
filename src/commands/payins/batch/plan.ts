import {PlanCommand} from '../../../cli/batch/plan/commands.ts';

export default class PayinsBatchPlan extends PlanCommand {
  static override summary = 'Check a CSV or Excel file of payins and plan a batch; sends nothing';
  static override examples = [
    '<%= config.bin %> payins batch plan payins.csv --batch-id november',
    '<%= config.bin %> payins batch plan rents.xlsx --sheet November --html november.html',
  ];
  readonly kind = 'payin';
}
