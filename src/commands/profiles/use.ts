import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {changeConfig} from '../../cli/profiles/store.ts';
import {storedProfile} from '../../profiles/resolve.ts';

export default class ProfilesUse extends RemitCommand {
  static override summary = 'Make a profile the default';
  static override args = {name: Args.string({required: true, description: 'name of the profile'})};
  static override examples = ['<%= config.bin %> profiles use test'];

  async run() {
    const {args} = await this.parse(ProfilesUse);
    const {out, configDir} = this.openLocal();
    const config = await changeConfig(configDir, (stored) => {
      storedProfile(stored, args.name, configDir);
      return {...stored, default: args.name};
    });
    const {mode, base_url} = storedProfile(config, args.name, configDir).profile;
    out.text(`Profile ${args.name} is the default now: ${mode}, ${base_url}`);
    return {default: args.name, mode, base_url};
  }
}
