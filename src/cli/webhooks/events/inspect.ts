import type {SignatureForm} from '../../../contract/signature-form.ts';
import {EXIT, type ExitCode} from '../../../errors.ts';
import {checkTarget, parseTarget} from '../../../webhooks/delivery/target.ts';
import type {LocalContext} from '../../core/context.ts';
import {openInspector} from './inspector.ts';
import {givenSecrets, type SecretFlags} from '../secrets.ts';

const TIMEOUT_MS = 10_000;

export interface InspectFlags extends SecretFlags {
  port: number;
  'forward-to'?: string | undefined;
  'allow-external'?: boolean | undefined;
  timeout?: number | undefined;
  /** How the service signs, if not as documented. */
  form?: SignatureForm | undefined;
}

/** Serves the page of the record until the signal to stop. */
export async function inspectRecord(local: LocalContext, flags: InspectFlags): Promise<ExitCode> {
  const {out, stop} = local;
  const secrets = givenSecrets(local, flags);
  const target = flags['forward-to'] === undefined ? undefined : parseTarget(flags['forward-to']);
  if (target !== undefined) checkTarget(target, flags['allow-external']);
  const inspector = await openInspector(local, {
    ...{port: flags.port, recorded: true, secrets: () => secrets, target: target?.href},
    form: flags.form,
    ...{allowExternal: flags['allow-external'], timeoutMs: flags.timeout ?? TIMEOUT_MS},
  });
  if (out.settings.format === 'ndjson') await out.event({type: 'ready', ui_url: inspector.url});
  else if (out.forPeople) out.text(`Inspect deliveries at ${inspector.url}`);
  else out.note(`Inspect deliveries at ${inspector.url}`);
  try {
    if (!stop.signal.aborted)
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, {once: true}));
  } finally {
    await inspector.close();
  }
  return stop.reason?.exitCode ?? EXIT.OK;
}
