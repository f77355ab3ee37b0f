import {readDocuments} from '../../../approval/approval-files.ts';
import {type AuditTrail, readTrail} from '../../../approval/audit.ts';
import {fingerprintOfKey} from '../../../approval/ssh-key.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {readBatch} from '../../../batch/overview/read-batch.ts';
import {EXIT, RemitError} from '../../../errors.ts';
import type {Policy} from '../../../approval/policy.ts';
import {readPinned} from '../../../approval/policy-file.ts';
import type {Output} from '../../../output/output.ts';
import type {PinnedPolicy} from '../../../profiles/profile.ts';
import {batchArg, BatchCommand} from '../../batch/batch-command.ts';
import {stateDirFlag} from '../../batch/flags.ts';
import {approvalProfile} from '../settings.ts';

/** A document of the batch: its signature also covers the trail as it was then. */
interface AuditSignature {
  name: string;
  role: string;
  person: string | null;
  fingerprint: string;
  events: number;
  issued: string;
  expires: string;
}

export abstract class BatchAudit extends BatchCommand {
  static override description =
    'Reads the events of a batch under a policy, and checks that none was changed or removed. Nothing is sent.';
  static override args = {batch: batchArg};
  static override flags = {...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchAudit);
    const local = this.openLocal();
    const {kind} = this;
    const stateDir = await this.stateDirOf(local, flags, {reads: args.batch});
    const wanted = {kind, batchId: args.batch, stateDir, clock: local.clock};
    const pinned = approvalProfile(local, this.project)?.approvalPolicy;
    const keys = pinned === undefined ? undefined : keysOfPolicy(pinned, local.out);
    const batch = await readBatch(wanted, `audit of batch ${args.batch}`);
    try {
      const trail = readTrail(batch.place.folder);
      const problems = [...brokenLine(trail), ...missingEvents(trail, batch)];
      const signatures: AuditSignature[] = [];
      for (const {statement, by, name} of documentsOf(batch, problems)) {
        const {role, issued, expires, audit} = statement;
        const person = keys?.get(by.blob.toString('base64'))?.person ?? null;
        const fingerprint = fingerprintOfKey(by.blob);
        signatures.push({name, role, person, fingerprint, events: audit.events, issued, expires});
        const who = `${role} ${person ?? fingerprint}`;
        if (audit.events > trail.hashes.length)
          problems.push(
            `the end is cut off: the ${who} signed it with ${audit.events} events, and ${trail.hashes.length} are left`,
          );
        else if (audit.events > 0 && trail.hashes[audit.events - 1] !== audit.hash)
          problems.push(`an event up to number ${audit.events} was changed after the ${who} signed it`);
      }
      for (const {seq, at, event, by, person, facts} of trail.events)
        local.out.text(`${seq}  ${at}  ${event}  ${person ?? ''} (${by})  ${JSON.stringify(facts)}`);
      for (const {role, person, fingerprint, events, issued} of signatures)
        local.out.text(`signed after event ${events}, ${issued}, by the ${role} ${person ?? fingerprint}`);
      for (const problem of problems) local.out.warn(problem);
      if (problems.length === 0)
        local.out.text(
          trail.events.length === 0
            ? 'No events: this batch was never used with a policy.'
            : 'Every event follows from the one before it, and from each signature.',
        );
      this.exitWith(problems.length === 0 ? EXIT.OK : EXIT.SIGNATURE);
      return {batch_id: args.batch, ok: problems.length === 0, events: trail.events, signatures, problems};
    } finally {
      await batch.close();
    }
  }
}

/** Names are left out if the policy is not the pinned one: the signatures hold all the same. */
function keysOfPolicy(pinned: PinnedPolicy, out: Output): Policy['keys'] | undefined {
  try {
    return readPinned(pinned).keys;
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    out.warn(`${error.message}; people are shown by their keys`);
    return undefined;
  }
}

const brokenLine = ({broken}: AuditTrail): string[] =>
  broken === undefined ? [] : [`line ${broken.line} of the audit trail: ${broken.why}`];

/** What the journal shows, and the trail does not. */
function missingEvents({events}: AuditTrail, {journal, plan}: OpenBatch): string[] {
  if (events.length === 0) return [];
  const has = (name: string) => events.some(({event}) => event === name);
  const planned = events.findLast(({event}) => event === 'planned');
  return [
    ...(planned?.facts['revision'] === plan.revision
      ? []
      : [`revision ${plan.revision} is not in the audit trail`]),
    ...(journal.windows(['release', 'direct']).length > 0 && !has('released')
      ? ['rows were released, and the audit trail does not have it']
      : []),
  ];
}

function documentsOf({place}: OpenBatch, problems: string[]) {
  try {
    return readDocuments(place.folder);
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    problems.push(error.message);
    return [];
  }
}
