import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {profileFacts} from '../../cli/profiles/changes.ts';
import {profileDetails} from '../../output/views/profiles.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {storedProfile} from '../../profiles/resolve.ts';

export default class ProfilesShow extends RemitCommand {
  static override summary = 'Show a stored profile with its caps and service file; the key is masked';
  static override args = {
    name: Args.string({description: 'name of the profile (default: the default profile)'}),
  };
  static override examples = ['<%= config.bin %> profiles show prod'];

  async run() {
    const {args} = await this.parse(ProfilesShow);
    const {out, configDir} = this.openLocal();
    const config = readConfig(configDir);
    const {name} = storedProfile(config, args.name, configDir);
    const shown = profileFacts(config, name);
    out.record(shown, profileDetails);
    return shown;
  }
}
