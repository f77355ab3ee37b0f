import {RemitError} from '../../errors.ts';

/** The contents of a `postgres://` address. */
export interface PostgresAddress {
  /** For the driver. Contains the password. */
  url: string;
  /** In canonical form. */
  passwords: readonly string[];
  /** Without user and password, for messages. */
  shown: string;
  /** The schema of the tables; a second sandbox in one database uses another. */
  schema: string;
}

const SCHEMA = 'remit_sandbox';
/** PostgreSQL truncates names at 63 bytes, and a checkpoint's schema has this name and a suffix. */
const SCHEMA_FORM = /^[a-z_][a-z0-9_]{0,29}$/;

export const isPostgresUrl = (store: string): boolean => /^postgres(ql)?:\/\//i.test(store);

/**
 * Reads `postgres://user@host:port/database?schema=name`; the other parameters are passed to the driver.
 * @throws {RemitError} USAGE
 */
export function readPostgresUrl(text: string): PostgresAddress {
  const url = parse(text);
  const schema = url.searchParams.get('schema') ?? SCHEMA;
  if (!SCHEMA_FORM.test(schema))
    throw new RemitError('USAGE', `the schema ${JSON.stringify(schema)} of the store is not a plain name`, {
      hint: 'up to 30 lower-case letters, digits and _: ?schema=team_sandbox',
    });
  url.searchParams.delete('schema');
  const socket = url.searchParams.get('host');
  const password = url.password || (url.searchParams.get('password') ?? '');
  const passwords = password === '' ? [] : [password, decoded(password)];
  const place = socket ?? url.host;
  return {url: url.href, schema, passwords, shown: `postgres://${place}${url.pathname}, schema ${schema}`};
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(text: string): URL {
  try {
    const url = new URL(text);
    if (url.pathname.length > 1) return url;
  } catch {
    // no address at all
  }
  throw new RemitError('USAGE', 'the store is not a PostgreSQL address, or has no database name', {
    hint: '--store postgres://user@localhost:5432/database',
  });
}
