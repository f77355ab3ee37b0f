import {Args, Flags} from '@oclif/core';
import {normaliseBaseUrl} from '../../client/transport/base-url.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {readKeySource} from '../../cli/profiles/key-input.ts';
import {requireQuorum} from '../../cli/profiles/approval.ts';
import {changeProfile, readSettings, requireChange} from '../../cli/profiles/changes.ts';
import {guardFlags, keyFlags, serviceFlags, tlsFlags} from '../../cli/profiles/flags.ts';
import {RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import {readConfig} from '../../profiles/config-file.ts';
import {nameOfKey, readKey} from '../../profiles/key-source.ts';
import {ENTER_AGAIN, modeOf} from '../../profiles/key.ts';
import type {KeySource, StoredProfile} from '../../profiles/profile.ts';
import {storedProfile} from '../../profiles/resolve.ts';
import {withSettings} from '../../profiles/settings.ts';

const own = {
  'base-url': Flags.string({helpValue: 'URL', description: 'switch to another service; asks for its key'}),
  'new-key': Flags.boolean({description: 'ask for a new key', exclusive: Object.keys(keyFlags)}),
  ...keyFlags,
  ...guardFlags,
  ...serviceFlags,
  ...tlsFlags,
};

export default class ProfilesSet extends RemitCommand {
  static override summary = 'Change settings of a stored profile';
  static override description =
    'Other settings are unchanged. A cap changes only for the currencies given; --allow-rail replaces the list. To remove a setting, use profiles unset.';
  static override args = {name: Args.string({required: true, description: 'name of the profile'})};
  static override examples = [
    '<%= config.bin %> profiles set prod --max-amount USD=2500.00',
    '<%= config.bin %> profiles set prod --approve-by-id',
    '<%= config.bin %> profiles set prod --service service.json',
  ];
  static override flags = own;

  async run() {
    const {args, flags} = await this.parse(ProfilesSet);
    requireChange(flags, Object.keys(own), 'profiles set');
    const local = this.openLocal();
    const {profile: before} = storedProfile(readConfig(local.configDir), args.name, local.configDir);
    const settings = readSettings(flags, this.runtime.cwd, before.service);
    const baseUrl = flags['base-url'] === undefined ? undefined : normaliseBaseUrl(flags['base-url']);
    const leaves = baseUrl !== undefined && new URL(baseUrl).origin !== new URL(before.base_url).origin;
    const isNewKey = flags['new-key'] || keysOf(keyFlags).some((name) => flags[name]);
    const key = leaves || isNewKey ? await readKeySource(flags, this.runtime) : undefined;
    if (key !== undefined) await requireMode(key, args.name, before);
    return changeProfile(local, args.name, (profile) => {
      if (profile.base_url !== before.base_url)
        throw new RemitError(
          'STATE',
          `profile ${args.name} was changed by another command; nothing was written`,
        );
      requireQuorum(profile.approval_policy, settings.approval_policy);
      return withSettings(
        {
          ...profile,
          ...(flags.service === undefined ? {} : {service: {}}), // the file replaces the one before
          ...(baseUrl === undefined ? {} : {base_url: baseUrl}),
          ...(key === undefined ? {} : {key}),
        },
        settings,
      );
    });
  }
}

/** Test and live need two profiles: caps, default and scripts rely on the mode of a profile name. */
async function requireMode(key: KeySource, name: string, {mode, base_url}: StoredProfile): Promise<void> {
  const found = modeOf(await readKey(key), nameOfKey(key, 'that was entered'), ENTER_AGAIN);
  if (found !== mode)
    throw new RemitError('BAD_KEY', `profile ${name} is for ${mode} keys, and this is a ${found} key`, {
      hint: `to replace the profile: remit profiles add ${name} --base-url ${base_url} --replace`,
    });
}
