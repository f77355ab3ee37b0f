import {RemitError} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';

const RETRY_HINT = 'run the same command again once the database answers';

/** SQLSTATE or errno -> what happened and what to do. */
const BY_CODE: Readonly<Record<string, {what: string; hint: string}>> = {
  ECONNREFUSED: {
    what: 'nothing is listening there',
    hint: 'start PostgreSQL, or name another address with --store',
  },
  ENOENT: {what: 'there is no such socket', hint: 'start PostgreSQL, or name another address with --store'},
  ENOTFOUND: {what: 'the host name was not found', hint: 'check the address after --store'},
  EAI_AGAIN: {what: 'the host name was not found', hint: 'check the address after --store'},
  ETIMEDOUT: {what: 'it does not answer', hint: 'check the address after --store'},
  ECONNRESET: {what: 'the connection was lost', hint: RETRY_HINT},
  EPIPE: {what: 'the connection was lost', hint: RETRY_HINT},
  '28P01': {what: 'the password is not accepted', hint: 'put it into ~/.pgpass or PGPASSWORD'},
  '28000': {
    what: 'this user is not permitted to connect',
    hint: 'check the user in the address after --store',
  },
  '3D000': {what: 'there is no such database', hint: 'create it: createdb NAME'},
  '42501': {
    what: 'this user is not permitted to do that',
    hint: 'use a user who may create schemas in the database',
  },
  '53100': {what: 'no space is left on its disk', hint: 'free disk space on the database server'},
  '53300': {what: 'it has too many connections', hint: 'stop other sandboxes, or raise its max_connections'},
  '55P03': {what: 'another sandbox held it for too long', hint: RETRY_HINT},
  '57P01': {what: 'it was stopped', hint: RETRY_HINT},
  '57P02': {what: 'it crashed', hint: RETRY_HINT},
  '57P03': {what: 'it is starting or stopping', hint: RETRY_HINT},
  '25006': {what: 'it is read-only', hint: 'name the primary server with --store'},
};
const LOST = /connection (terminated|ended)|server closed|client has encountered a connection error|timeout/i;

/** An error of the database or its connection as a RemitError; an error in SQL is returned unchanged. */
export function postgresFailure(error: unknown, action: string, shown: string): unknown {
  if (error instanceof RemitError || !(error instanceof Error)) return error;
  const code = codeOf(error) ?? ''; // SQLSTATE of the server or errno of the socket
  const known = BY_CODE[code] ?? (isLost(error) ? BY_CODE['ECONNRESET'] : undefined);
  if (known === undefined) return error;
  return new RemitError('STATE', `Could not ${action} the database ${shown}: ${known.what}`, {
    hint: known.hint,
    details: {store: shown, ...(code === '' ? {} : {code})},
    cause: error,
  });
}

/** The connection is lost, and uncommitted changes with it. */
export const isLost = (error: unknown): boolean =>
  error instanceof Error &&
  (['ECONNRESET', 'EPIPE', '57P01', '57P02', '25P03'].includes(codeOf(error) ?? '') ||
    (!codeOf(error) && LOST.test(error.message)));

/**
 * Two changes conflicted, and one of them was undone: it may be tried again. A violated unique constraint counts too,
 * because a row added by another change in the meantime also violates it.
 */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && ['40001', '40P01', '23505'].includes(codeOf(error) ?? '');
