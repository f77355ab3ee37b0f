import type {ServiceFile} from '../../service/service-file.ts';
import {RemitError} from '../../errors.ts';
import type {Context, LocalContext} from '../core/context.ts';
import {checkConnection} from './machine/connection.ts';
import type {Finding} from './survey/finding.ts';
import type {Probed} from './probe/steps.ts';
import {probeWrites, refuseProbe} from './probe/writes.ts';
import {type Report, reportOf, showReport, uncheckedMain} from './report.ts';
import {surveyService, notReadable} from './reads/service.ts';
import {checkSetup} from './machine/setup.ts';
import {type WrittenFile, placeFor, proposedName, writeService} from './write-file.ts';

export interface DoctorFlags {
  readonly all?: boolean | undefined;
  readonly write?: string | undefined;
  readonly 'probe-writes'?: boolean | undefined;
}

/** Checks this machine, the connection and the service, and prints what holds, differs or is unknown. */
export async function runDoctor(context: Context, flags: DoctorFlags): Promise<Report> {
  const {out, profile} = context;
  const place = flags.write === undefined ? undefined : placeFor(flags.write, context);
  if (place?.hasMore === true)
    out.note(`${place.path} has settings that are not active. They are used for the checks and kept.`);
  if (flags['probe-writes']) await refuseProbe(context);
  out.progress('Checking…');
  const found: Finding[] = [...checkSetup(context, process.version), ...(await checkConnection(context))];
  const survey = await surveyService(context, place?.base ?? profile.service);
  const isReached = survey.samples.size > 0;
  const probed = flags['probe-writes'] && isReached ? await probeWrites(context, survey) : null;
  await survey.asker.close();
  found.push(...survey.found, ...notReadable(survey.found, probed !== null));
  out.endProgress();
  const service = survey.draft.file;
  const report = reportOf(found, {
    ...{profile: profile.name, base_url: profile.baseUrl, mode: profile.mode},
    ...{requests: survey.asker.requests, service, written: isReached ? (place?.path ?? null) : null, probed},
  });
  showReport(out, found, {report, isWhole: flags.all === true});
  if (isReached) showUnchecked(context, uncheckedMain(found, probed), probed !== null);
  if (probed !== null && probed.left.length > 0) out.note(leftText(probed));
  if (place !== undefined && !isReached)
    out.note(`${place.path} was not written, because no list could be read.`);
  else if (place !== undefined) putInto(place, service, {context, found});
  else if (found.some(({write: line, sure}) => line !== undefined && sure === true))
    out.hint(context.commands.read('doctor', '--write', proposedName(context)));
  return report;
}

/** Says why doctor exits 8 although nothing differs: without records, no GET shows whether one can be read. */
function showUnchecked(
  {out, commands, profile}: Context,
  checks: readonly string[],
  isProbed: boolean,
): void {
  if (checks.length === 0) return;
  const plain = `Not checked, although needed to pay: ${checks.join(', ')}`;
  if (isProbed || profile.mode !== 'test') out.note(`${plain}. Run doctor again when there is a payout.`);
  else {
    out.note(`${plain}. This creates and cancels test payouts to check it:`);
    out.hint(commands.read('doctor', '--probe-writes'));
  }
}

/** `The probe left in the test entity: payee 019c…; move 019c… (CREATED).` */
const leftText = ({left}: Probed): string =>
  `The probe left in the test entity: ${left
    .map(({noun, id, status}) => `${noun} ${id}${status === null ? '' : ` (${status})`}`)
    .join('; ')}.`;

/**
 * The error that left the command without a key or a configuration, with what can be checked all the same: this machine.
 */
export function withSetup(error: unknown, local: LocalContext): unknown {
  if (!(error instanceof RemitError)) return error;
  const found = checkSetup(local, process.version);
  const none = {
    profile: null,
    base_url: null,
    mode: null,
    requests: 0,
    service: {},
    written: null,
    probed: null,
  };
  const report = reportOf(found, none);
  showReport(local.out, found, {report, isWhole: true});
  const {code, message, openHint: hint, details, exitCode, retryable, cause} = error;
  return new RemitError(code, message, {
    ...{hint, exitCode, retryable, cause},
    details: {...details, checks: report.checks},
  });
}

function putInto(
  place: WrittenFile,
  service: ServiceFile,
  {context, found}: {context: Context; found: readonly Finding[]},
): void {
  const next = writeService(place, service, context);
  const open = found.filter(
    ({area, verdict, sure}) => area === 'service' && verdict === 'differs' && sure !== true,
  ).length;
  const rest =
    open === 0
      ? ''
      : ` It does not contain ${open === 1 ? '1 difference that needs' : `${open} differences that need`} your decision.`;
  const done = `${place.text === undefined ? 'Wrote' : 'Updated'} ${place.path}.${rest}`;
  context.out.note(
    next === undefined ? `${done} It is the active service file.` : `${done} Activate it with:`,
  );
  if (next !== undefined) context.out.hint(next);
}
