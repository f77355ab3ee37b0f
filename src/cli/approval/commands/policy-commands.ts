import {resolve} from 'node:path';
import {Args, Flags} from '@oclif/core';
import {readApprovalFile} from '../../../approval/approval-files.ts';
import {parsePolicy, type Policy, ruleText} from '../../../approval/policy.ts';
import {readPinned, readPolicy, signedPolicy} from '../../../approval/policy-file.ts';
import {RemitError} from '../../../errors.ts';
import {writeOutFile} from '../../../store/files/out-file.ts';
import {BatchCommand} from '../../batch/batch-command.ts';
import {approvalProfile} from '../settings.ts';

const fileArg = Args.string({required: true, description: 'file of the policy'});

function resultOf({sha256, rules, keys}: Policy) {
  return {
    sha256,
    rules: rules.map(({aboveMinor, expiresMs, ...rule}) => ({
      ...{
        ...rule,
        above_minor: String(aboveMinor),
        expires_ms: expiresMs,
        text: ruleText({aboveMinor, expiresMs, ...rule}),
      },
    })),
    people: [...keys.values()],
  };
}

function textOf({sha256, rules, keys}: Policy): string {
  return [
    `Policy ${sha256}`,
    ...rules.map((rule) => `  ${ruleText(rule)}`),
    ...[...keys.values()].map(({person, type, fingerprint}) => `  ${person}  ${type}  ${fingerprint}`),
  ].join('\n');
}

/** What is easily overlooked: a rule that cannot be met once one of its approvers has made the batch. */
const warningsOf = ({rules}: Policy): string[] =>
  rules
    .filter(({quorum, approvers}) => quorum === approvers.length)
    .map((rule) => `${ruleText(rule)}: all of them are needed, so none of them may stage, retry or resolve`);

export abstract class PolicyInit extends BatchCommand {
  static override args = {file: fileArg};
  static override flags = {
    approver: Flags.string({
      required: true,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=KEY.pub',
      description: 'a person who may approve, with the public key',
    }),
    maker: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=KEY.pub',
      description: 'a person who only makes batches, with the public key',
    }),
    currency: Flags.string({default: 'USD', helpValue: 'USD', description: 'currency of the first rule'}),
  };

  async run() {
    const {args, flags} = await this.parse(PolicyInit);
    const {out} = this.openLocal();
    const approvers = flags.approver.map(personLine);
    const names = approvers.map(({name}) => name).join(',');
    const text = [
      '# Who may approve batches. The lines with keys are those of allowed_signers (ssh-keygen(1)).',
      `#remit rule currency=${flags.currency} above=0 approvers=${names} quorum=1 expires=72h`,
      ...[...approvers, ...(flags.maker ?? []).map(personLine)].map(({line}) => line),
      '',
    ].join('\n');
    const policy = parsePolicy(text, args.file);
    await writeOutFile(args.file, [text], 'another name');
    out.text(textOf(policy));
    out.hint(`pin it where batches are released: remit profiles set NAME --approval-policy ${args.file}`);
    return {...resultOf(policy), written: args.file};
  }
}

function personLine(pair: string): {name: string; line: string} {
  const at = pair.indexOf('=');
  const [name, path] = [pair.slice(0, at), pair.slice(at + 1)];
  if (at < 1 || path === '') throw new RemitError('USAGE', `${pair} is not of the form NAME=KEY.pub`);
  return {name, line: `${name} ${readApprovalFile(path).trim()}`};
}

export abstract class PolicyShow extends BatchCommand {
  async run() {
    await this.parse(PolicyShow);
    const local = this.openLocal();
    const profile = approvalProfile(local, this.project);
    if (profile?.approvalPolicy === undefined)
      throw new RemitError('USAGE', 'the profile in use has no policy: its batches need no approval', {
        hint: 'remit profiles set NAME --approval-policy FILE',
      });
    const policy = readPinned(profile.approvalPolicy);
    local.out.text(`${textOf(policy)}\n  pinned by profile ${profile.name}: ${profile.approvalPolicy.path}`);
    return {...resultOf(policy), profile: profile.name, path: profile.approvalPolicy.path};
  }
}

export abstract class PolicyCheck extends BatchCommand {
  static override args = {file: fileArg};

  async run() {
    const {args} = await this.parse(PolicyCheck);
    const local = this.openLocal();
    const policy = readPolicy(args.file);
    const pinned = approvalProfile(local, this.project)?.approvalPolicy;
    const signed =
      pinned === undefined || pinned.sha256 === policy.sha256
        ? undefined
        : signedPolicy(resolve(args.file), readPinned(pinned));
    local.out.text(textOf(policy));
    const warnings = warningsOf(policy);
    for (const warning of warnings) local.out.warn(warning);
    if (signed !== undefined)
      local.out.text(
        `Signed by ${signed.by.length} of the ${signed.quorum} approvers of the pinned policy that are needed${signed.by.length > 0 ? `: ${signed.by.join(', ')}` : ''}`,
      );
    return {
      ...{...resultOf(policy), warnings, is_pinned: pinned?.sha256 === policy.sha256},
      signed_by: signed?.by ?? null,
      quorum: signed?.quorum ?? null,
    };
  }
}
