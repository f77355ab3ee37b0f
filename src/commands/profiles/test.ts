import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/command.ts';
import {RemitError} from '../../errors.ts';

/** A well-formed id that no record has: the answer shows whether the key is accepted, and nothing is read. */
const NO_SUCH_PAYOUT = '00000000-0000-4000-8000-000000000000';

export default class ProfilesTest extends RemitCommand {
  static override summary = 'Check that the service answers and accepts the key';
  static override args = {
    name: Args.string({description: 'name of the profile (default: the one in force)'}),
  };
  static override examples = ['<%= config.bin %> profiles test prod'];

  async run() {
    const {args} = await this.parse(ProfilesTest);
    const {client, out, profile, clock, stop} = await this.open({profile: args.name});
    const began = clock.monotonic();
    const status = await this.#ask(() => client.payouts.get({id: NO_SUCH_PAYOUT}, {signal: stop.signal}));
    const elapsedMs = Math.round(clock.monotonic() - began);
    out.text(
      `${profile.baseUrl} answers and accepts the ${profile.mode} key ${profile.masked} (${elapsedMs} ms).`,
    );
    return {
      profile: profile.name,
      base_url: profile.baseUrl,
      mode: profile.mode,
      http_status: status,
      elapsed_ms: elapsedMs,
    };
  }

  /** A documented "no such payout" is the answer we hope for; anything else speaks for itself. */
  async #ask(read: () => Promise<{status: number}>): Promise<number> {
    try {
      return (await read()).status;
    } catch (error) {
      if (error instanceof RemitError && error.details?.['error_code'] !== undefined) {
        if (error.code === 'NOT_FOUND' || error.code === 'VALIDATION_ERROR') return error.httpStatus!;
      }
      throw error;
    }
  }
}
