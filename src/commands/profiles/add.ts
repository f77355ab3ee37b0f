import {Args, Flags} from '@oclif/core';
import {normaliseBaseUrl} from '../../client/base-url.ts';
import {RemitCommand} from '../../cli/command.ts';
import {count} from '../../cli/flags.ts';
import {readKeySource} from '../../cli/key-input.ts';
import {readCaps, readOverrides} from '../../cli/profile-options.ts';
import {changeConfig} from '../../cli/profile-store.ts';
import {RemitError} from '../../errors.ts';
import {profileCard} from '../../output/views/profiles.ts';
import {describeSource, readKey} from '../../profiles/key-source.ts';
import {modeOf} from '../../profiles/key.ts';
import {PROFILE_NAME, type StoredProfile} from '../../profiles/profile.ts';
import {summarise} from '../../profiles/summary.ts';

const many = {multiple: true, multipleNonGreedy: true} as const;

export default class ProfilesAdd extends RemitCommand {
  static override summary = 'Add a profile: a service, a key, and what it may do';
  static override description =
    'The key is asked for, unseen; it is never an argument, since other users of the machine could read it there.';
  static override args = {name: Args.string({required: true, description: 'name of the profile'})};
  static override examples = [
    '<%= config.bin %> profiles add test --base-url https://api.example.com',
    "<%= config.bin %> profiles add prod --base-url https://api.example.com --key-command 'pass show remit/prod' --max-amount USD=5000.00",
  ];
  static override flags = {
    'base-url': Flags.string({
      required: true,
      helpValue: 'URL',
      description: 'https, or http to this machine',
    }),
    'key-stdin': Flags.boolean({
      description: 'read the key from stdin',
      exclusive: ['key-file', 'key-command'],
    }),
    'key-file': Flags.string({
      helpValue: 'PATH',
      description: 'read the key from this file at each use',
      exclusive: ['key-command'],
    }),
    'key-command': Flags.string({
      helpValue: 'COMMAND',
      description: 'run this at each use; its output is the key',
    }),
    'max-amount': Flags.string({...many, helpValue: 'USD=5000.00', description: 'largest single amount'}),
    'max-batch-total': Flags.string({...many, helpValue: 'USD=100000.00', description: 'largest batch'}),
    'max-batch-rows': count(1, 100_000_000)({description: 'longest batch'}),
    'allow-rail': Flags.string({...many, helpValue: 'RAIL', description: 'only these rails'}),
    'read-only': Flags.boolean({description: 'refuse every write'}),
    'approve-by-id': Flags.boolean({
      description: 'batches may approve staged records by id once their keys are past the horizon',
    }),
    route: Flags.string({
      ...many,
      helpValue: "'OPERATION=METHOD /path'",
      description: 'where an assumed operation really is',
    }),
    field: Flags.string({
      ...many,
      helpValue: 'OPERATION.FIELD=NAME',
      description: 'how an assumed field is really called',
    }),
    default: Flags.boolean({description: 'use it when no other is named'}),
    replace: Flags.boolean({description: 'replace the profile of that name'}),
  };

  async run() {
    const {args, flags} = await this.parse(ProfilesAdd);
    const {out, configDir} = this.openLocal();
    const {name} = args;
    if (!PROFILE_NAME.test(name))
      throw new RemitError(
        'USAGE',
        `${JSON.stringify(name)} is no name for a profile: letters, digits, - and _ only`,
      );
    const caps = readCaps(flags);
    const overrides = readOverrides(flags);
    const baseUrl = normaliseBaseUrl(flags['base-url']);
    const key = await readKeySource(flags, this.runtime);
    const profile: StoredProfile = {
      base_url: baseUrl,
      key,
      mode: modeOf(await readKey(key), describeSource(key)),
      ...(flags['read-only'] ? {read_only: true} : {}),
      ...(flags['approve-by-id'] ? {approve_by_id: true} : {}),
      ...(caps === undefined ? {} : {caps}),
      ...(overrides === undefined ? {} : {overrides}),
    };
    const config = await changeConfig(configDir, (stored) => {
      if (Object.hasOwn(stored.profiles, name) && !flags.replace)
        throw new RemitError('USAGE', `there is a profile "${name}" already`, {
          hint: 'add --replace to replace it',
        });
      const first = Object.keys(stored.profiles).length === 0;
      return {
        ...stored,
        ...(first || flags.default ? {default: name} : {}),
        profiles: {...stored.profiles, [name]: profile},
      };
    });
    const summary = summarise(config, name, profile);
    out.record(summary, profileCard);
    out.hint(`remit profiles test ${name}`);
    return summary;
  }
}
