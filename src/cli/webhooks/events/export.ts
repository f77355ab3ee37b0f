import {statSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {fileFailure} from '../../../store/files/failures.ts';
import {counted} from '../../../phrases.ts';
import {deliveryLine} from '../../../webhooks/delivery/lines.ts';
import type {RecordedDelivery} from '../../../webhooks/record/state.ts';
import type {LocalContext} from '../../core/context.ts';
import {readRecorded} from './read-record.ts';

/**
 * Writes the deliveries that match the filter as lines of NDJSON, to a file or to stdout, whatever the output format.
 */
export async function exportRecord(
  local: LocalContext,
  passes: (recorded: RecordedDelivery) => boolean,
  file: string | undefined,
): Promise<{file: string; deliveries: number} | undefined> {
  const {out, runtime} = local;
  const lines = readRecorded(local)
    .filter(passes)
    .map(({delivery}) => deliveryLine({...delivery, filtered: false}));
  if (file === undefined) {
    for (const line of lines) {
      await out.event(line);
      if (out.closed) return undefined;
    }
    out.note(`${counted(lines.length, 'delivery', 'deliveries')} exported`);
    return undefined;
  }
  const path = resolve(runtime.cwd, file);
  write(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  out.text(`${counted(lines.length, 'delivery', 'deliveries')} exported to ${path}.`);
  return {file: path, deliveries: lines.length};
}

/** A device or a pipe is written to, and never replaced. */
function write(path: string, text: string): void {
  if (statSync(path, {throwIfNoEntry: false})?.isFile() ?? true) return writeFileAtomic(path, text);
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
}
