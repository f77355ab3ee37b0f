import {listed} from '../../phrases.ts';
import {keysOfField} from '../../service/file/assumption.ts';
import type {Context} from '../core/context.ts';
import {withDoctor} from '../core/way-out.ts';

/** A record, and the fields that its answer should contain but does not. */
interface NotShown {
  /** What was written: `payout 0192…`; undefined after a read. */
  named: string | undefined;
  /** Its name in a service file. */
  resource: string;
  fields: readonly string[];
  /** The command that shows the record. */
  next: string | undefined;
}

/**
 * Warns, and makes the command exit with 8, if an answer lacks fields. After a write, whether the service did what was
 * requested is unknown then.
 */
export function noteNotShown(
  {out, effects, commands}: Pick<Context, 'out' | 'effects' | 'commands'>,
  {named, resource, fields, next}: NotShown,
): void {
  if (fields.length === 0) return;
  const keys = fields.flatMap((field) => keysOfField(resource, field));
  const unknown = named === undefined ? '' : `whether ${named} is as requested is unknown: `;
  out.warn(
    `${unknown}the answer does not show ${listed(fields)}; if this service differs, set ${listed(keys)} in the service file`,
  );
  if (!effects.isPartial) out.hint(withDoctor(next, commands));
  effects.tookPartly();
}
