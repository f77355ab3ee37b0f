import {isDeepStrictEqual} from 'node:util';
import {RemitError} from '../../../errors.ts';
import {isList, isObject, type Printable} from '../../../narrow.ts';
import type {Sanitizer} from '../../../sanitize/sanitizer.ts';
import {checkService} from '../../../service/file/parse.ts';
import type {ServiceFile} from '../../../service/service-file.ts';

/**
 * The active service file together with the differences found so far. Each check sends its requests in this form, so that
 * one difference does not hide the next.
 */
export class ServiceDraft {
  #file: ServiceFile;

  constructor(inForce: ServiceFile) {
    this.#file = inForce;
  }

  get file(): ServiceFile {
    return this.#file;
  }

  /** Adds a part. Returns false, and changes nothing, if the result would not be a valid service file. */
  add(part: ServiceFile): boolean {
    if (this.problemWith(part) !== undefined) return false;
    const next = joined(this.#file, part);
    if (!isDeepStrictEqual(next, this.#file)) this.#file = next;
    return true;
  }

  /** Why the service file would not be valid with a part; undefined if it would be. */
  problemWith(part: ServiceFile): string | undefined {
    try {
      checkService(joined(this.#file, part), NAME);
      return undefined;
    } catch (error) {
      if (error instanceof RemitError && error.code === 'SERVICE_FILE')
        return error.message.slice(NAME.length + 2);
      throw error;
    }
  }
}

const NAME = 'the service file';

/** Merges two service files; where both set a key, the second counts. */
export const joined = (file: ServiceFile, part: ServiceFile): ServiceFile => deepJoined(file, part); // keys of both, at every level

function deepJoined(one: Readonly<object>, other: Readonly<object>): object {
  const whole: Record<string, unknown> = {...one};
  for (const [name, value] of Object.entries(other)) {
    const before = whole[name];
    whole[name] = isObject(before) && isObject(value) ? deepJoined(before, value) : value;
  }
  return whole;
}

/** Whether a part has a name or a text that must not be shown: a service can return the key that it received. */
export function hasSecret(part: Printable, sanitizer: Sanitizer): boolean {
  if (typeof part === 'string') return sanitizer.exact(part) !== part;
  if (isList(part)) return part.some((item) => hasSecret(item, sanitizer));
  return (
    isObject(part) &&
    Object.entries(part).some(([name, value]) => hasSecret(name, sanitizer) || hasSecret(value, sanitizer))
  );
}
