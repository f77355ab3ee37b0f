import {existsSync} from 'node:fs';
import {Args} from '@oclif/core';
import {EXIT, RemitError} from '../../../errors.ts';
import {serviceInForce} from '../../core/service-in-force.ts';
import {commandLine, type Typed} from '../../line/command-line.ts';
import {acceptFlag, readAccepted} from '../accept.ts';
import {BatchCommand} from '../batch-command.ts';
import {readFlags, stateDirFlag} from '../flags.ts';
import {fileArg} from '../plan/commands.ts';
import {compareFile} from './action.ts';
import {comparisonResult, comparisonText, isEqual} from './view.ts';

export abstract class BatchDiff extends BatchCommand {
  static override args = {
    file: fileArg,
    batch: Args.string({description: 'batch id (default: the batch that has references of the file)'}),
  };
  static override flags = {...acceptFlag(['hidden-rows', 'cut-input']), ...readFlags, ...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchDiff);
    const local = this.openLocal();
    refuseSwapped(args, this.typed);
    const use = args.batch === undefined ? ({readsAll: true} as const) : {reads: args.batch};
    const stateDir = await this.stateDirOf(local, flags, use);
    const wanted = {
      ...{kind: this.kind, file: args.file, stateDir, flags, local},
      ids: serviceInForce(local, this.project).service.ids?.format,
      accepted: readAccepted(flags.accept),
      retype: (add: readonly string[], without: readonly string[] = []) =>
        commandLine(this.typed.id, this.typed.argv, {add, without}),
    };
    const compared = await compareFile(wanted, args.batch);
    local.out.text(comparisonText(compared));
    this.exitWith(isEqual(compared) ? EXIT.OK : EXIT.PARTIAL);
    return comparisonResult(compared);
  }
}

/** @throws RemitError USAGE if the second argument is a file, and the first is not */
function refuseSwapped({file, batch}: {file: string; batch?: string | undefined}, {id, argv}: Typed): void {
  if (batch === undefined || file === '-' || existsSync(file) || !existsSync(batch)) return;
  const swapped = argv.map((word) => (word === file ? batch : word === batch ? file : word));
  throw new RemitError('USAGE', `${JSON.stringify(file)} is not a file: the file comes before the batch`, {
    hint: commandLine(id, swapped),
  });
}
