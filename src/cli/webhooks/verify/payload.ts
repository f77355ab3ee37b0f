import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {RemitError} from '../../../errors.ts';
import {fileFailure} from '../../../store/files/failures.ts';
import type {LocalContext} from '../../core/context.ts';
import {openStdin} from '../../runtime/stdin.ts';

/** Larger than what the listener accepts by default. */
const MOST_BYTES = 64 * 1_048_576;

/**
 * The bytes of `@FILE`, or of stdin for `-`, unchanged.
 * @throws {RemitError} USAGE for anything else, STATE if the file cannot be read
 */
export async function readPayload(local: LocalContext, source: string): Promise<Buffer> {
  if (source === '-') return readAll(openStdin(local.runtime, 'the payload'));
  if (source.startsWith('@')) return readFile(local, source.slice(1));
  throw new RemitError('USAGE', `${JSON.stringify(source)} is neither @FILE nor - for stdin`, {
    hint: hintFor(source),
  });
}

function hintFor(source: string): string | undefined {
  if (/^\s*[{[]/.test(source)) return 'save the payload to a file, then write @FILE';
  return /^https?:\/\//i.test(source) ? undefined : `write @${source} for the contents of that file`;
}

/** The bytes of a file, relative to the working folder. */
export function readFile({runtime}: LocalContext, path: string): Buffer {
  try {
    return readFileSync(resolve(runtime.cwd, path));
  } catch (error) {
    throw fileFailure(error, 'read', path);
  }
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MOST_BYTES)
      throw new RemitError('LOCAL_VALIDATION', `stdin contains more than ${MOST_BYTES} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
