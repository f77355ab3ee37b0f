import {Args} from '@oclif/core';
import {probeService} from '../../cli/profiles/probe-service.ts';
import {RemitCommand} from '../../cli/core/command.ts';

export default class ProfilesTest extends RemitCommand {
  static override summary = 'Check that the service answers and accepts the key';
  static override args = {
    name: Args.string({description: 'name of the profile (default: the active one)'}),
  };
  static override examples = ['<%= config.bin %> profiles test prod'];

  async run() {
    const {args} = await this.parse(ProfilesTest);
    const context = await this.open({profile: args.name});
    const {out, profile, clock} = context;
    const began = clock.monotonic();
    const status = await probeService(context);
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
}
