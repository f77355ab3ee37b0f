import {createHash} from 'node:crypto';
import {isPostgresUrl, readPostgresUrl} from '../store/postgres/url.ts';
import {RemitError} from '../errors.ts';

/** Where a team keeps its batches. */
export interface TeamAddress {
  /** For the driver, with the password. */
  url: string;
  /** For messages: without user and password. */
  shown: string;
  /** For commands to type next: without the password. */
  typed: string;
  passwords: readonly string[];
  schema: string;
  /** A short name for the local folder of this database. */
  folder: string;
  /** Whether a failover that may lose windows was accepted in the address. */
  acceptsAsyncStandby: boolean;
}

const SCHEMA = 'remit_team';
const ASYNC_STANDBY = 'async_standby';

/**
 * Reads `postgres://user@host/database?schema=name`. `async_standby=accept` accepts standbys that may lack the last
 * changes when they take over.
 * @throws RemitError USAGE
 */
export function readTeamAddress(text: string): TeamAddress {
  if (!isPostgresUrl(text))
    throw new RemitError('USAGE', 'the shared state is not a PostgreSQL address', {
      hint: '--state postgres://user@host:5432/database; for a folder, use --state-dir',
    });
  const {url, shown, passwords, schema} = readPostgresUrl(text, {flag: '--state', ownSchema: SCHEMA});
  const driver = new URL(url);
  const accept = driver.searchParams.get(ASYNC_STANDBY);
  if (accept !== null && accept !== 'accept')
    throw new RemitError('USAGE', `${ASYNC_STANDBY} of --state is ${JSON.stringify(accept)}`, {
      hint: `leave it out, or write ${ASYNC_STANDBY}=accept`,
    });
  driver.searchParams.delete(ASYNC_STANDBY);
  const typed = new URL(text);
  typed.password = '';
  typed.searchParams.delete('password');
  const place = `${driver.host}${driver.pathname}?${driver.searchParams.get('host') ?? ''} ${schema}`;
  return {
    ...{url: driver.href, shown, passwords, schema, typed: typed.href},
    folder: createHash('sha256').update(place).digest('hex').slice(0, 16),
    acceptsAsyncStandby: accept !== null,
  };
}
