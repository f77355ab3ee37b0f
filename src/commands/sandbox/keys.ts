import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {sandboxKeyView} from '../../output/views/sandbox.ts';
import type {IssuedKey} from '../../sandbox/world/keys.ts';

export default class SandboxKeys extends RemitCommand {
  static override summary = 'Show the keys of the running sandbox, or issue a new one';
  static override description = 'Keys are shown in full, because they work only with this sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox keys',
    '<%= config.bin %> sandbox keys --issue live --read-only',
  ];
  static override flags = {
    issue: Flags.option({options: ['test', 'live'] as const, description: 'issue a new key of this mode'})(),
    'read-only': Flags.boolean({dependsOn: ['issue'], description: 'the new key gets 403 on every write'}),
  };

  async run() {
    const {flags} = await this.parse(SandboxKeys);
    const local = this.openLocal();
    // A key has no id, so with -o id the key itself is printed.
    const keysOnly = local.out.settings.format === 'id';
    if (flags.issue !== undefined) {
      const wanted = {mode: flags.issue, scope: flags['read-only'] ? 'read' : 'full'};
      const issued = await callControl<IssuedKey>(local, 'POST', '/sandbox/keys', wanted);
      local.out.sanitizer.allow(issued.key, 'key', '');
      local.out.record(issued, sandboxKeyView);
      return keysOnly ? issued.key : issued;
    }
    const {data} = await callControl<{data: IssuedKey[]}>(local, 'GET', '/sandbox/keys');
    for (const {key} of data) local.out.sanitizer.allow(key, 'key', '');
    await local.out.list(keysOnly ? data.map(({key}) => key) : data, sandboxKeyView);
    return undefined;
  }
}
