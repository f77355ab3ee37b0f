import {Config, Plugin} from '@oclif/core';
import {EXIT} from '../errors.ts';
import {main, reportEarly, type Ended} from './main.ts';
import {processRuntime} from './runtime.ts';

/** The parts of package.json that oclif reads. */
export interface PackageJson {
  name: string;
  version: string;
  oclif: Record<string, unknown>;
}

type LoadOptions = Exclude<Parameters<typeof Config.load>[0], string | undefined>;

/**
 * Starts the tool in this process.
 * @param pjson inlined by the build, so that no file is searched for
 * @param fromSource ignore the committed manifest and read the commands themselves (development, tests)
 */
export async function start(facts: {
  argv: readonly string[];
  root: string;
  pjson: PackageJson;
  fromSource?: boolean;
}): Promise<Ended> {
  const runtime = processRuntime();
  runtime.stop.listen(process);
  // A bug outside every catch: one line for people or machines, not a page of bundled code.
  process.once('uncaughtException', (error) => {
    process.once('uncaughtException', () => process.exit(EXIT.BUG)); // while it was being written
    void reportEarly(error, facts.argv, runtime).then((code) => process.exit(code));
  });
  try {
    const config = await loadConfig(facts);
    return await main(facts.argv, config, runtime);
  } finally {
    runtime.stop.release();
  }
}

/** oclif's view of the tool: commands from the manifest, no plugins of the user's. */
export async function loadConfig(facts: {
  root: string;
  pjson: PackageJson;
  fromSource?: boolean;
}): Promise<Config> {
  const {root, pjson, fromSource = false} = facts;
  const options = {root, pjson, devPlugins: false, userPlugins: false} as unknown as LoadOptions; // its type wants all of package.json
  if (!fromSource) return Config.load(options);
  const plugin = new Plugin({
    ...options,
    isRoot: true,
    ignoreManifest: true,
    errorOnManifestCreate: true,
  });
  await plugin.load();
  return Config.load({...options, plugins: new Map([[plugin.name, plugin]])});
}
