import type {ServiceFile} from './service-file.ts';

/** Only whole words at the end of a name: a header such as `x-tenant-key` may choose who pays. */
const CREDENTIAL = /(?:^|[-_])(?:authorization|api[-_]?key|token|secret|password|signature)$/i;

/** Whether a header is a credential by its name, which may be rotated during a batch as a live key may. */
export const isCredentialHeader = (name: string): boolean => CREDENTIAL.test(name);

/** A shorter value could be part of any text. */
const SHORTEST = 8;

/** The values of such headers in `headers.send`, which are never printed. */
export const credentialsSent = ({headers}: ServiceFile): string[] =>
  Object.entries(headers?.send ?? {})
    .filter(([name, value]) => isCredentialHeader(name) && value.length >= SHORTEST)
    .map(([, value]) => value);
