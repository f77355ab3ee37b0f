import type {TeamSession} from '../../team/session.ts';
import {RemitCommand} from '../core/command.ts';
import type {LocalContext} from '../core/context.ts';

/** A command on a state folder, or on the state that a team shares. */
export abstract class SharedCommand extends RemitCommand {
  #team: TeamSession | undefined;

  protected override async afterRun(error?: unknown): Promise<void> {
    if (this.#team === undefined) return; // also if the words could not be parsed
    const {endTeam} = await import('./open.ts');
    await endTeam(this.openLocal(), this.#team, error);
  }

  /** The shared state that the command works on, from then on also in `local`; undefined for a folder. */
  protected async teamOf(
    local: LocalContext,
    flags: {state?: string | undefined; 'state-dir'?: string | undefined},
  ): Promise<TeamSession | undefined> {
    if (this.#team !== undefined) return this.#team;
    const {openTeam} = await import('./open.ts');
    this.#team = await openTeam(local, flags);
    if (this.#team !== undefined) local.team = this.#team;
    return this.#team;
  }
}
