import {messageOf, type JsonFields} from '../../narrow.ts';
import {TeamSession} from '../../team/session.ts';
import {readTeamAddress} from '../../team/address.ts';
import {STATE_URL} from '../core/bank-returns.ts';
import type {LocalContext} from '../core/context.ts';

/** The shared state that a command works on; undefined if it works on a folder. */
export async function openTeam(local: LocalContext, flags: JsonFields): Promise<TeamSession | undefined> {
  const {runtime, out, clock} = local;
  const typed = typeof flags['state'] === 'string' ? flags['state'] : undefined;
  const folder = typeof flags['state-dir'] === 'string' ? flags['state-dir'] : undefined;
  const address = typed ?? (folder === undefined ? runtime.env[STATE_URL] : undefined);
  if (address === undefined || address === '') return undefined;
  out.sanitizer.conceal(...readTeamAddress(address).passwords);
  return TeamSession.open({
    ...{address, clock, longestMs: local.flags['request-timeout']},
    stateDir: folder ?? local.stateDir,
    say: (text) => out.note(text),
  });
}

/** The error of the command is more important than what follows from it. */
export async function endTeam({out, flags}: LocalContext, team: TeamSession, error: unknown): Promise<void> {
  try {
    await team.end();
  } catch (failure) {
    if (error === undefined) throw failure;
    if (messageOf(failure) !== messageOf(error)) out.warn(messageOf(failure));
  } finally {
    if (flags.debug) out.debug(`* ${team.statements} statements to the database`);
  }
}
