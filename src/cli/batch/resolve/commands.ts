import {counted} from '../../../phrases.ts';
import {Args, Flags} from '@oclif/core';
import type {IdFormat} from '../../../contract/ids.ts';
import {RemitError} from '../../../errors.ts';
import {must} from '../../../narrow.ts';
import {ApprovalGate} from '../../approval/gate.ts';
import {approvalProfile} from '../../approval/settings.ts';
import {type Context, type LocalContext, localCommands} from '../../core/context.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {serviceInForce} from '../../core/service-in-force.ts';
import {batchArg, BatchCommand} from '../batch-command.ts';
import {stateDirFlag} from '../flags.ts';
import type {Resolved} from '../../../batch/repair/resolve.ts';
import {commandLine} from '../../line/command-line.ts';
import {openStdin} from '../../runtime/stdin.ts';
import {paidId, resolveFromFile, resolveInBatch} from './action.ts';
import {readResolveFile} from './file.ts';

export abstract class BatchResolve extends BatchCommand {
  static override summary = 'Record whether a row in doubt was paid, after checking it yourself';
  static override args = {
    batch: batchArg,
    reference: Args.string({description: 'reference of the row; omit it with --from'}),
  };
  static override flags = {
    paid: Flags.string({
      helpValue: 'ID',
      description: 'the row was paid by the record with this id',
      exactlyOne: ['paid', 'not-paid', 'from'],
    }),
    'not-paid': Flags.boolean({
      description:
        'the row was not paid; it is sent again: with its key, or a new one if the key has another record',
    }),
    from: Flags.string({
      helpValue: 'FILE',
      description: 'CSV or .xlsx file with the header reference,verdict,id; a verdict is paid or not-paid',
    }),
    sheet: Flags.string({
      helpValue: 'NAME',
      dependsOn: ['from'],
      description: 'sheet of a workbook (.xlsx) with several',
    }),
    unseen: Flags.boolean({
      description: 'record it as stated, without fetching the record; a wrong id then counts as paid',
    }),
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchResolve);
    if ((args.reference === undefined) !== (flags.from !== undefined))
      throw new RemitError(
        'USAGE',
        flags.from === undefined ? 'name the row by its reference' : 'with --from, the file names the rows',
        {
          hint: (commands) =>
            `${commands.read(`${this.kind}s`, 'batch', 'resolve', args.batch, '--from', 'FILE')}, or name a row: REFERENCE --paid ID, or REFERENCE --not-paid`,
        },
      );
    return args.reference === undefined
      ? this.#resolveFile(args.batch, must(flags.from, 'file where no row is named'), flags)
      : this.#resolveRow(args.batch, args.reference, flags);
  }

  async #place(local: LocalContext, flags: {'state-dir'?: string | undefined}, batchId: string) {
    const stateDir = await this.stateDirOf(local, flags, {takes: batchId, purpose: 'resolve'});
    const profile = approvalProfile(local, this.project);
    const {runtime, clock, flags: global} = local;
    const gateOf = (batch: OpenBatch) =>
      ApprovalGate.open(
        {runtime, clock, commands: localCommands(global), ...(profile === undefined ? {} : {profile})},
        batch,
      );
    return {kind: this.kind, stateDir, clock, local, gateOf, typed: this.typed};
  }

  #ids(local: LocalContext): IdFormat {
    return serviceInForce(local, this.project).service.ids?.format ?? 'uuid';
  }

  async #resolveFile(
    batchId: string,
    path: string,
    flags: {unseen: boolean; sheet?: string | undefined; 'state-dir'?: string | undefined},
  ) {
    let context: Context | undefined;
    const local = this.openLocal();
    const stdin = path === '-' ? openStdin(local.runtime, 'CSV') : undefined;
    const lines = await readResolveFile({
      ...{path, stdin, sheet: flags.sheet, ids: this.#ids(local)},
      retype: (add, without = []) => commandLine(this.typed.id, this.typed.argv, {add, without}),
    });
    const open = async () => (context ??= await this.open());
    const result = await resolveFromFile({
      ...{...(await this.#place(local, flags, batchId)), batchId, path, lines},
      open: flags.unseen ? undefined : open,
    });
    for (const {reference, why} of result.unseen)
      local.out.notice(`The record of ${reference} was not read (${why}); it is recorded as you stated.`);
    local.out.text(
      `Batch ${batchId}: ${counted(result.paid, 'row')} recorded as paid, ${counted(result.not_paid, 'row')} as not paid.`,
    );
    if (result.next !== null) local.out.hint(result.next);
    return result;
  }

  async #resolveRow(
    batchId: string,
    reference: string,
    flags: {
      paid?: string | undefined;
      'not-paid': boolean;
      unseen: boolean;
      'state-dir'?: string | undefined;
    },
  ) {
    const resolution =
      flags.paid === undefined
        ? 'not-paid'
        : {paid: paidId(flags.paid, this.kind, this.#ids(this.openLocal()))};
    const isRead = flags.paid !== undefined && !flags.unseen;
    const context = isRead ? await this.open() : undefined;
    const local = context ?? this.openLocal();
    const openToLook = flags['not-paid'] && !flags.unseen ? () => this.open() : undefined;
    const result = await resolveInBatch({
      ...{...(await this.#place(local, flags, batchId)), batchId, reference, resolution, context, openToLook},
    });
    if (result.unseen !== undefined)
      local.out.notice(`Its record was not read (${result.unseen}); it is recorded as you stated.`);
    local.out.text(resolvedText(result, isRead));
    if (result.next !== null) local.out.hint(result.next);
    return result;
  }
}

function resolvedText(
  {
    batch_id: batch,
    reference,
    state,
    id,
    replaces,
    not_paid_by: formers,
    unchanged,
  }: Resolved & {batch_id: string},
  isRead: boolean,
): string {
  if (unchanged === true)
    return `Row ${reference} of batch ${batch} is already recorded as ${state === 'accepted' || state === 'already_paid' ? `paid by record ${id}` : 'not paid'}; nothing changed.`;
  if (formers !== undefined)
    return `Recorded: row ${reference} of batch ${batch} was not paid by record ${formers.join(' or ')}. The next run asks for it once more, and pays the row if it is still not found or has failed.`;
  if (state === 'not_sent')
    return `Recorded: row ${reference} of batch ${batch} was not paid. The next run sends it again with the same key.`;
  if (state === 'staged')
    return `Recorded: row ${reference} of batch ${batch} was not paid. The next run reads its record ${id} and releases it.`;
  if (state === 'collision')
    return `Recorded: row ${reference} of batch ${batch} was not paid. A retry that names it sends it again with a new key.`;
  const by = isRead ? `record ${id} was read` : 'as you stated';
  const paid = replaces === undefined ? '' : `: ${replaces}`;
  return `Recorded: row ${reference} of batch ${batch} is ${state.replace('_', ' ')}${isRead && paid === '' ? ': ' : ', '}${by}${paid}.`;
}
