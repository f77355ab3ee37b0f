import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {changeProfile, requireChange} from '../../cli/profiles/changes.ts';
import {unsetFlags} from '../../cli/profiles/flags.ts';
import {withoutSettings} from '../../profiles/settings.ts';

export default class ProfilesUnset extends RemitCommand {
  static override summary =
    'Remove caps, rails, read-only, the service file or TLS files from a stored profile';
  static override args = {name: Args.string({required: true, description: 'name of the profile'})};
  static override examples = [
    '<%= config.bin %> profiles unset audit --read-only',
    '<%= config.bin %> profiles unset test --route payouts.approve',
  ];
  static override flags = unsetFlags;

  async run() {
    const {args, flags} = await this.parse(ProfilesUnset);
    requireChange(flags, Object.keys(unsetFlags), 'profiles unset');
    return changeProfile(this.openLocal(), args.name, (profile) => withoutSettings(profile, flags));
  }
}
