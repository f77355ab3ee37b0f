import {RemitError} from '../../errors.ts';
import {codeOf, messageOf} from '../../narrow.ts';
import {TLS_WORDS, tlsTroubleOf} from '../../network/tls-trouble.ts';

/** No connection could be opened. Whatever the cause, it is not in remit. */
export class Unconnected extends Error {
  constructor(cause: unknown) {
    super('no connection to the database', {cause});
  }
}

interface Known {
  what: string;
  hint: string;
}

const CHECK_ADDRESS = 'check the address after --store and its parameters';
const RETRY_HINT = 'run the same command again once the database answers';

/** SQLSTATE or errno -> what happened and what to do. */
const BY_CODE: Readonly<Record<string, Known>> = {
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
  const trouble = error instanceof Unconnected ? error.cause : error;
  const code = codeOf(trouble) ?? ''; // SQLSTATE of the server or errno of the socket
  const known =
    unreadFile(trouble) ??
    BY_CODE[code] ??
    (isLost(error) ? BY_CODE['ECONNRESET'] : undefined) ??
    (error instanceof Unconnected ? unconnected(trouble, code) : byClass(trouble, code));
  if (known === undefined) return error;
  return new RemitError('STATE', `Could not ${action} the database ${shown}: ${known.what}`, {
    hint: known.hint,
    details: {store: shown, ...(code === '' ? {} : {code})},
    cause: error,
  });
}

/** A certificate or key that the address names. */
const unreadFile = (trouble: unknown): Known | undefined =>
  trouble instanceof Error && 'syscall' in trouble && trouble.syscall === 'open'
    ? {what: `a file that it names cannot be read: ${messageOf(trouble)}`, hint: CHECK_ADDRESS}
    : undefined;

/** The driver's own texts, which have no code. */
const BY_TEXT: Readonly<Record<string, Known>> = {
  'The server does not support SSL connections': {
    what: 'it does not offer TLS, which the sslmode of the address requires',
    hint: 'on a network that you trust: sslmode=disable',
  },
  'There was an error establishing an SSL connection': {
    what: 'what answers there is not PostgreSQL',
    hint: CHECK_ADDRESS,
  },
};

function unconnected(trouble: unknown, code: string): Known {
  const tls = tlsTroubleOf(code);
  if (tls === 'unknown-issuer' || tls === 'self-signed')
    return {what: TLS_WORDS[tls], hint: 'name the file of its authority in the address: sslrootcert=FILE'};
  if (tls !== undefined && tls !== 'plain-http') return {what: TLS_WORDS[tls], hint: CHECK_ADDRESS};
  if (/^(EPROTO|ERR_SSL_\w+)$/.test(code)) return {what: 'the TLS handshake failed', hint: CHECK_ADDRESS};
  const known = BY_TEXT[messageOf(trouble)];
  return known ?? {what: `it cannot be used: ${reported(trouble)}`, hint: CHECK_ADDRESS};
}

/** Trouble of the server that no query of ours causes: connection, resources, operator, system, internal. */
const byClass = (trouble: unknown, code: string): Known | undefined =>
  /^(08|53|57|58|XX)[0-9A-Z]{3}$/.test(code)
    ? {what: `it reported ${code}: ${reported(trouble)}`, hint: RETRY_HINT}
    : undefined;

const MOST_CHARACTERS = 200;
const reported = (trouble: unknown): string =>
  messageOf(trouble).split('\n', 1).join('').slice(0, MOST_CHARACTERS);

/** The connection is lost, and uncommitted changes with it. */
export const isLost = (error: unknown): boolean => {
  const trouble = error instanceof Unconnected ? error.cause : error;
  if (!(trouble instanceof Error)) return false;
  const code = codeOf(trouble);
  return code
    ? ['ECONNRESET', 'EPIPE', '57P01', '57P02', '25P03'].includes(code)
    : LOST.test(trouble.message);
};

/**
 * Two changes conflicted, and one of them was undone: it may be tried again. A violated unique constraint counts too,
 * because a row added by another change in the meantime also violates it.
 */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && ['40001', '40P01', '23505'].includes(codeOf(error) ?? '');
