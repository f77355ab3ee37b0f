import {RemitCommand} from '../cli/core/command.ts';
import {text, type View} from '../output/records/view.ts';
import {profileDetails} from '../output/views/profiles.ts';

const whoamiView: View = {
  noun: 'identity',
  plural: 'identities',
  columns: [],
  card: [
    text('Profile', 'profile'),
    ...profileDetails.card.filter(({path}) => path === 'mode' || path === 'base_url'),
    text('Key', 'key'),
    text('Key fingerprint', 'key_fingerprint'),
    text('Proxy', 'proxy'),
    ...profileDetails.card.filter(({path}) => path === 'read_only' || /^(caps|tls)\./.test(path)),
    text('Profile from', 'from.profile'),
    text('Base URL from', 'from.base_url'),
    text('Key from', 'from.key'),
    text('Mode from', 'from.mode'),
    text('Project file', 'project_file'),
    text('Config folder', 'config_dir'),
    text('State folder', 'state_dir'),
  ],
};

export default class Whoami extends RemitCommand {
  static override summary = 'Show the active service and key, and where each setting comes from';
  static override examples = ['<%= config.bin %> whoami', '<%= config.bin %> whoami -p prod --json'];

  async run() {
    await this.parse(Whoami);
    const {out, profile, configDir, stateDir} = await this.open();
    const {proxyFor} = await import('../network/proxy.ts');
    const proxy = proxyFor(new URL(profile.baseUrl), this.runtime.env);
    const shown = {
      profile: profile.name,
      mode: profile.mode,
      base_url: profile.baseUrl,
      key: profile.masked,
      key_fingerprint: profile.keyFingerprint,
      read_only: profile.readOnly,
      caps: profile.caps,
      service: profile.service,
      tls: profile.tls,
      proxy: proxy?.shown ?? null,
      from: profile.sources,
      project_file: this.project?.path ?? null,
      config_dir: configDir,
      state_dir: stateDir,
    };
    out.record(shown, whoamiView);
    return shown;
  }
}
