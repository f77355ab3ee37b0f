import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {changeConfig} from '../../cli/profiles/store.ts';
import {RemitError} from '../../errors.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {storedProfile} from '../../profiles/resolve.ts';

export default class ProfilesRemove extends RemitCommand {
  static override summary = 'Remove a stored profile and its key';
  static override args = {name: Args.string({required: true, description: 'name of the profile'})};
  static override examples = ['<%= config.bin %> profiles remove old --yes'];

  async run() {
    const {args, flags} = await this.parse(ProfilesRemove);
    const {out, configDir} = this.openLocal();
    const {name} = args;
    storedProfile(readConfig(configDir), name, configDir);
    if (!flags.yes && !(await this.runtime.prompts.confirm(`Remove profile ${name} and its key?`, '--yes')))
      throw new RemitError('GUARD_CONFIRM', `profile ${name} was not removed: the answer was no`);
    let wasDefault = false;
    const {profiles: left} = await changeConfig(configDir, (stored) => {
      wasDefault = stored.default === name;
      const {[name]: removed, ...profiles} = stored.profiles;
      if (removed === undefined) throw new RemitError('NO_PROFILE', `profile ${name} was already removed`);
      const {default: chosen, ...rest} = stored;
      return {...rest, ...(chosen === undefined || chosen === name ? {} : {default: chosen}), profiles};
    });
    out.text(`Removed profile ${name}${wasDefault ? ', which was the default' : ''}.`);
    if (wasDefault && Object.keys(left).length > 0)
      out.hint('to choose another default: remit profiles use NAME');
    return {name, removed: true, was_default: wasDefault};
  }
}
