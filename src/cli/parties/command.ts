import {Args, Flags} from '@oclif/core';
import type {ImportKind} from '../../parties/row.ts';
import {RemitCommand} from '../core/command.ts';
import {duration} from '../input/global-flags.ts';
import {importParties} from './import.ts';

/** `payees import` and `payers import`: one class, which names its kind. */
export abstract class PartyImport extends RemitCommand {
  static override args = {
    file: Args.string({required: true, description: 'CSV or Excel workbook (.xlsx), - for stdin'}),
  };
  static override flags = {
    sheet: Flags.string({helpValue: 'NAME', description: 'sheet of a workbook (.xlsx) with several'}),
    out: Flags.string({
      helpValue: 'FILE',
      description: 'where the ids are written (default: NAME.imported.csv beside the input)',
    }),
    wait: Flags.boolean({description: 'wait until no bank account or card is pending'}),
    timeout: duration({description: 'how long to wait (default 10m)', dependsOn: ['wait']}),
    'dry-run': Flags.boolean({description: 'only read and check the file; nothing is sent'}),
  };
  /** Set by the command class of the topic. */
  abstract readonly kind: ImportKind;

  async run() {
    const {args, flags} = await this.parse(PartyImport);
    const context = await this.open();
    return this.conclude(
      await importParties({context, kind: this.kind, path: args.file, flags, typed: this.typed}),
    );
  }
}
