import {RemitError} from '../../errors.ts';

/** The contents of a `postgres://` address. */
export interface PostgresAddress {
  /** The URL for the driver, with the password. */
  url: string;
  /** The server settings of the connection, as in `options`. */
  options: string;
  /** The password in each form in which a message may contain it. */
  passwords: readonly string[];
  /** The address without user and password, for messages. */
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
export function readPostgresUrl(text: string, {flag = '--store', ownSchema = SCHEMA} = {}): PostgresAddress {
  const url = parse(text, flag);
  const schema = url.searchParams.get('schema') ?? ownSchema;
  if (!SCHEMA_FORM.test(schema))
    throw new RemitError('USAGE', `the schema ${JSON.stringify(schema)} of the store is not a plain name`, {
      hint: 'up to 30 lower-case letters, digits and _: ?schema=team_sandbox',
    });
  url.searchParams.delete('schema');
  // The driver would use those of the address instead of ours.
  const options = [url.searchParams.get('options') ?? '', `-c search_path=${schema}`].join(' ').trim();
  url.searchParams.delete('options');
  pinTls(url);
  const place = url.searchParams.get('host') ?? url.host;
  const given = [url.password, url.searchParams.get('password') ?? ''].filter((password) => password !== '');
  return {
    ...{url: url.href, schema, options},
    passwords: given.flatMap((password) => [password, decoded(password)]),
    shown: `postgres://${place}${url.pathname}, schema ${schema}`,
  };
}

/** Those of libpq, and `no-verify` of the driver. */
const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const UNCHECKED_MODES: ReadonlySet<string> = new Set(['disable', 'no-verify']);

/**
 * The driver checks the certificate in every mode but two, warns on stderr that a later version will not, and ignores an
 * unknown mode. The mode is written as it is meant: the check stays.
 */
function pinTls({searchParams}: URL): void {
  const mode = searchParams.get('sslmode');
  if (mode === null) return;
  if (!TLS_MODES.includes(mode))
    throw new RemitError('USAGE', `the sslmode ${JSON.stringify(mode)} of the store is unknown`, {
      hint: `one of ${TLS_MODES.join(', ')}`,
    });
  if (searchParams.get('uselibpqcompat') === 'true' || UNCHECKED_MODES.has(mode)) return;
  searchParams.set('sslmode', 'verify-full');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(text: string, flag: string): URL {
  try {
    const url = new URL(text);
    if (url.pathname.length > 1) return url;
  } catch {
    // no address at all
  }
  throw new RemitError('USAGE', `${flag} is not a PostgreSQL address, or has no database name`, {
    hint: `${flag} postgres://user@localhost:5432/database`,
  });
}
