import {RemitCommand} from '../../cli/core/command.ts';
import {profileCard} from '../../output/views/profiles.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {summarise} from '../../profiles/summary.ts';

export default class ProfilesList extends RemitCommand {
  static override summary = 'List the stored profiles';
  static override examples = ['<%= config.bin %> profiles list'];

  async run() {
    await this.parse(ProfilesList);
    const {out, configDir} = this.openLocal();
    const config = readConfig(configDir);
    const names = Object.keys(config.profiles).sort();
    await out.list(
      names.map((name) => summarise(config, name, config.profiles[name]!)),
      profileCard,
    );
    if (names.length === 0) out.hint('remit profiles add NAME --base-url URL');
  }
}
