import {RemitCommand} from '../../cli/core/command.ts';
import {profileCard} from '../../output/views/profiles.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {summariseProfile} from '../../profiles/summary.ts';

export default class ProfilesList extends RemitCommand {
  static override summary = 'List the stored profiles';
  static override examples = ['<%= config.bin %> profiles list'];

  async run() {
    await this.parse(ProfilesList);
    const {out, configDir} = this.openLocal();
    const config = readConfig(configDir);
    const profiles = Object.entries(config.profiles).sort(([a], [b]) => (a < b ? -1 : 1));
    await out.list(
      profiles.map(([name, profile]) => summariseProfile(config, name, profile)),
      profileCard,
    );
    if (profiles.length === 0) out.hint('remit profiles add NAME --base-url URL');
  }
}
