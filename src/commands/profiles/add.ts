import {Args, Flags} from '@oclif/core';
import {normaliseBaseUrl} from '../../client/transport/base-url.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {readKeySource} from '../../cli/profiles/key-input.ts';
import {requireQuorum} from '../../cli/profiles/approval.ts';
import {profileFacts, readSettings} from '../../cli/profiles/changes.ts';
import {guardFlags, keyFlags, serviceFlags, tlsFlags} from '../../cli/profiles/flags.ts';
import {changeConfig} from '../../cli/profiles/store.ts';
import {RemitError} from '../../errors.ts';
import {profileDetails} from '../../output/views/profiles.ts';
import {nameOfKey, readKey} from '../../profiles/key-source.ts';
import {ENTER_AGAIN, modeOf} from '../../profiles/key.ts';
import {PROFILE_NAME, type StoredProfile} from '../../profiles/profile.ts';
import {replacing} from '../../profiles/settings.ts';

export default class ProfilesAdd extends RemitCommand {
  static override summary = 'Add a profile: a service, a key and its limits';
  static override description =
    'The key is read from a hidden prompt; it cannot be an argument, which other users of the machine could read.';
  static override args = {name: Args.string({required: true, description: 'name of the profile'})};
  static override examples = [
    '<%= config.bin %> profiles add test --base-url https://api.example.com',
    "<%= config.bin %> profiles add prod --base-url https://api.example.com --key-command 'pass show remit/prod' --max-amount USD=5000.00",
  ];
  static override flags = {
    'base-url': Flags.string({
      required: true,
      helpValue: 'URL',
      description: 'address of the service: https, or http on this machine',
    }),
    ...keyFlags,
    ...guardFlags,
    ...serviceFlags,
    ...tlsFlags,
    default: Flags.boolean({description: 'make it the default profile'}),
    replace: Flags.boolean({
      description:
        'replace an existing profile; caps, read-only and the service file are kept if not given here',
    }),
  };

  async run() {
    const {args, flags} = await this.parse(ProfilesAdd);
    const {out, configDir} = this.openLocal();
    const {name} = args;
    if (!PROFILE_NAME.test(name))
      throw new RemitError(
        'USAGE',
        `${JSON.stringify(name)} is not a valid profile name: use letters, digits, - and _`,
      );
    const settings = readSettings(flags, this.runtime.cwd);
    const baseUrl = normaliseBaseUrl(flags['base-url']);
    const key = await readKeySource(flags, this.runtime);
    const profile: StoredProfile = {
      base_url: baseUrl,
      key,
      mode: modeOf(await readKey(key), nameOfKey(key, 'that was entered'), ENTER_AGAIN),
      ...settings,
    };
    const config = await changeConfig(configDir, (stored) => {
      const old = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
      if (old !== undefined && !flags.replace)
        throw new RemitError('USAGE', `the profile "${name}" already exists`, {
          hint: `to change a setting: remit profiles set ${name} --help; to replace the profile, add --replace`,
        });
      requireQuorum(old?.approval_policy, settings.approval_policy);
      const first = Object.keys(stored.profiles).length === 0;
      return {
        ...stored,
        ...(first || flags.default ? {default: name} : {}),
        profiles: {...stored.profiles, [name]: old === undefined ? profile : replacing(old, profile)},
      };
    });
    const summary = profileFacts(config, name);
    out.record(summary, profileDetails);
    out.hint(`remit profiles test ${name}`);
    return summary;
  }
}
