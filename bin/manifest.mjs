// .oclif.manifest.json: what every command takes, so that a start need not load the commands to find one of them.
import {Plugin} from '@oclif/core';

/** The manifest as it is committed: one command a line, sorted, so that changes can be read. */
export async function manifestText({root, pjson}) {
  const plugin = new Plugin({
    root,
    isRoot: true,
    pjson,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  const {commands, version} = plugin.manifest;
  const lines = Object.keys(commands)
    .sort()
    .map((id) => `${JSON.stringify(id)}:${JSON.stringify(withoutGlobalFlags(commands[id]), withoutFalse)}`);
  return `{"version":${JSON.stringify(version)},"commands":{\n${lines.join(',\n')}\n}}\n`;
}

/** The global flags are the same everywhere; help adds them itself, and a start need not read them fifty times. */
function withoutGlobalFlags(command) {
  const own = Object.entries(command.flags).filter(([, flag]) => flag.helpGroup !== 'GLOBAL');
  return {...command, flags: Object.fromEntries(own)};
}

/** No flag has help that only a running command knows, and oclif takes an absent value for that. */
const withoutFalse = (name, value) => (name === 'hasDynamicHelp' && value === false ? undefined : value);
