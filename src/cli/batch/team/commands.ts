import {Flags} from '@oclif/core';
import {readTeamAddress} from '../../../team/address.ts';
import {grantsText} from '../../../team/schema.ts';
import {batchArg, BatchCommand} from '../batch-command.ts';
import {stateDirFlag} from '../flags.ts';

export abstract class BatchMove extends BatchCommand {
  static override summary = 'Move a batch to the database of a team, or back';
  static override description =
    'The batch continues there, with everything that is known of its rows. Nothing is sent.';
  static override args = {batch: batchArg};
  static override flags = {
    to: Flags.string({
      required: true,
      helpValue: 'PLACE',
      description: 'postgres://HOST/DATABASE, or with --state the folder to move it back to',
    }),
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchMove);
    const local = this.openLocal();
    const {moveBatch} = await import('./move.ts');
    const stateDir = await this.stateDirOf(local, flags);
    const place = await moveBatch({local, kind: this.kind, id: args.batch}, stateDir, flags.to);
    local.out.text(`Batch ${args.batch} is now in ${place}.`);
    return {batch_id: args.batch, place};
  }
}

export abstract class BatchGrants extends BatchCommand {
  static override summary = 'Print the rights that a database role needs to run batches of a team';
  static override description =
    'Run the statements as the owner of the schema, who runs the first command. Nothing is connected to or sent.';
  static override flags = {
    role: Flags.string({
      default: 'remit_runner',
      helpValue: 'NAME',
      description: 'the role that runs batches',
    }),
    schema: Flags.string({helpValue: 'NAME', description: 'schema of the tables (default: remit_team)'}),
  };

  async run() {
    const {flags} = await this.parse(BatchGrants);
    const {schema} = readTeamAddress(
      `postgres://localhost/any${flags.schema === undefined ? '' : `?schema=${flags.schema}`}`,
    );
    const grants = grantsText(schema, flags.role);
    this.openLocal().out.text(grants);
    return {role: flags.role, schema, sql: grants};
  }
}
