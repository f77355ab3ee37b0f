import {Flags} from '@oclif/core';
import {readPinned, readPolicy} from '../../../approval/policy-file.ts';
import {withoutKeeping} from '../../../batch/plan/plan.ts';
import {RemitError} from '../../../errors.ts';
import {writeOutFile} from '../../../store/files/out-file.ts';
import {acceptFlag, readAccepted} from '../../batch/accept.ts';
import {batchArg, BatchCommand} from '../../batch/batch-command.ts';
import {confirmFlags, readFlags, stateDirFlag} from '../../batch/flags.ts';
import {readFromFlags} from '../../batch/plan/action.ts';
import {serviceInForce} from '../../core/service-in-force.ts';
import {inGroup} from '../../input/flags.ts';
import {duration} from '../../input/global-flags.ts';
import {commandLine} from '../../line/command-line.ts';
import {asRead} from '../gate.ts';
import {approvalProfile} from '../settings.ts';
import {approveDraft} from './approve-action.ts';
import {confirmApproval} from './confirm-approval.ts';
import {readApprovalRequest, requestOf, requestText} from './request.ts';

export abstract class BatchApprove extends BatchCommand {
  static override description =
    'Needs no API key. The plan is read from your own copy of the file, never from the batch.';
  static override args = {batch: batchArg};
  static override flags = {
    file: Flags.string({
      helpValue: 'FILE',
      description: 'your own copy of the CSV or .xlsx file',
      exactlyOne: ['file', 'ask'],
    }),
    ask: Flags.string({
      helpValue: 'FILE',
      description: 'write what a person without this state folder needs to approve the batch',
    }),
    request: Flags.string({
      helpValue: 'FILE',
      description: 'what `--ask` has written, instead of the state folder',
      dependsOn: ['file', 'write'],
    }),
    write: Flags.string({
      helpValue: 'FILE',
      description: 'write the approval to this file, for `--approval`, instead of into the state folder',
      dependsOn: ['file'],
    }),
    ...inGroup('APPROVAL', {
      policy: Flags.string({helpValue: 'FILE', description: 'policy (default: that of the profile)'}),
      key: Flags.string({
        helpValue: 'FILE',
        description: 'SSH key that signs, or its .pub file (default: that of the profile)',
      }),
      expires: duration({
        description: 'how long the approval is valid (default: as long as the policy allows)',
      }),
    }),
    ...confirmFlags,
    ...acceptFlag(['hidden-rows', 'cut-input']),
    ...readFlags,
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchApprove);
    const local = this.openLocal();
    const {kind} = this;
    const {ask, file} = flags;
    const isSent = flags.request !== undefined; // by a person who may have no access to the database
    const stateDir = isSent ? local.stateDir : await this.stateDirOf(local, flags, {reads: args.batch});
    const place = {kind, batchId: args.batch, stateDir, clock: local.clock};
    if (file === undefined) {
      const path = ask ?? '';
      const {request, batch} = await requestOf(place);
      await writeOutFile(path, [requestText(request)], '--ask');
      const own = (['policy', 'key'] as const).flatMap((name) => {
        const value = flags[name];
        return value === undefined ? [] : [`--${name}`, value];
      });
      local.out.text(`Request  ${path}`);
      local.out.hint(
        `the other person types: ${commandLine(this.typed.id, [args.batch, '--file', 'FILE', '--request', path, '--write', `${args.batch}.approval`, ...own, ...asRead(batch.plan)])}`,
      );
      return {batch_id: args.batch, written: path};
    }
    const profile = approvalProfile(local, this.project);
    const policy =
      flags.policy !== undefined
        ? readPolicy(flags.policy)
        : profile?.approvalPolicy === undefined
          ? undefined
          : readPinned(profile.approvalPolicy);
    const keyFile = flags.key ?? profile?.approvalKey;
    if (policy === undefined || keyFile === undefined)
      throw new RemitError('USAGE', `${policy === undefined ? 'no policy' : 'no SSH key'} to approve with`, {
        hint: 'name both: --policy FILE --key FILE; a profile has them as --approval-policy and --approval-key',
      });
    const read =
      flags.request === undefined
        ? await requestOf(place)
        : {request: readApprovalRequest(flags.request), batch: undefined};
    const retype = (add: readonly string[], without: readonly string[] = []) =>
      commandLine(this.typed.id, this.typed.argv, {add, without});
    const wanted = {
      ...{kind, file, stateDir: place.stateDir, flags: {...flags, 'batch-id': args.batch}, local, retype},
      ids: serviceInForce(local, this.project).service.ids?.format,
      accepted: readAccepted(flags.accept),
    };
    const approved = await readFromFlags(wanted, (options) =>
      withoutKeeping(options, (draft) =>
        approveDraft(
          {
            ...{local, batchId: args.batch, request: read.request, policy, keyFile, profile},
            expiresMs: flags.expires,
            to: flags.write === undefined ? {folder: read.batch?.place.folder ?? ''} : {file: flags.write},
            confirm: (reviewed) => confirmApproval(reviewed, {local, flags, retype}),
          },
          draft,
        ),
      ),
    );
    if (flags.write === undefined) await local.team?.addApprovals(kind, args.batch);
    local.out.text(`Approved by ${approved.person} until ${approved.expires}: ${approved.written}`);
    return approved;
  }
}
