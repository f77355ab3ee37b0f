import {BatchResolve} from '../../../cli/batch/resolve/commands.ts';

export default class PayinsBatchResolve extends BatchResolve {
  static override examples = [
    '<%= config.bin %> payins batch resolve november INV-7 --paid 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> payins batch resolve november INV-7 --not-paid',
  ];
  readonly kind = 'payin';
}
