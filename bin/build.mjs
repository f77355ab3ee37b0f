// Builds dist/: the CLI as one CommonJS bundle and its first page of help, the library with its types, the licences and
// the SBOM of everything that is in them; and .oclif.manifest.json.
// Only what the sources say goes in: a second build gives the same bytes. With --command, only the command is built.
import {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {brotliCompressSync} from 'node:zlib';
import {asFile, bundle, bundleAlone, inlinedPackage} from './bundle.mjs';
import {commandFiles, root} from './commands.mjs';
import {manifestText} from './manifest.mjs';
import {licencesText, shippedPackages} from './packages.mjs';
import {sbomText} from './sbom.mjs';

const require = createRequire(import.meta.url);
const dist = join(root, 'dist');

async function buildCli() {
  const parts = await bundle();
  for (const {file, code} of parts) writeAtomic(join(root, file), asFile(code));
  const frames = parts.map(({file, frames}) => [file.slice('dist/'.length), frames()]);
  writeAtomic(join(dist, 'frames.json.br'), brotliCompressSync(JSON.stringify(Object.fromEntries(frames))));
  writeAtomic(
    join(dist, 'commands.txt'),
    commandFiles()
      .map(([id]) => `${id}\n`)
      .join(''),
  );
  writeAtomic(join(dist, 'complete.cjs'), await bundleAlone('src/cli/completion/callback.ts'));
  writeAtomic(join(dist, 'layout.cjs'), await bundleAlone('src/cli/help/layout.ts'));
  return parts;
}

/** What others want to know about the bundles: licences and parts. */
function describe(bundles) {
  const packages = shippedPackages(bundles);
  const {packages: locked} = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const notices = bundles.map(({legal}) => legal);
  writeAtomic(join(dist, 'THIRD-PARTY-LICENCES.txt'), licencesText(packages, notices));
  writeAtomic(join(dist, 'sbom.cdx.json'), sbomText(packages, locked));
}

/**
 * The help of every command and topic, before it is laid out, in one file, each text compressed, with their places in
 * another; both are read by the launcher.
 */
function writeHelp(help) {
  const parts = [];
  let at = 0;
  const place = (text) => {
    const bytes = brotliCompressSync(text);
    parts.push(bytes);
    at += bytes.length;
    return [at - bytes.length, bytes.length];
  };
  const placesOf = (texts) =>
    Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, place(text)]));
  const places = {commands: placesOf(help.commands), topics: placesOf(help.topics)};
  writeAtomic(join(dist, 'help-of-all.br'), Buffer.concat(parts));
  writeAtomic(join(dist, 'help-of-all.json'), JSON.stringify(places));
}

function writeAtomic(path, text) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Ends the build with one line when the work fails. */
async function attempt(what, work) {
  try {
    return await work();
  } catch (error) {
    process.stderr.write(`${what} could not be built: ${error.message}\n`);
    return process.exit(1);
  }
}

mkdirSync(dist, {recursive: true});
const isForCommand = process.argv.includes('--command');
const rest = ['lib', 'THIRD-PARTY-LICENCES.txt', 'sbom.cdx.json'];
for (const name of ['cjs', 'man', ...(isForCommand ? rest : [])])
  rmSync(join(dist, name), {recursive: true, force: true}); // of an earlier build
const library = isForCommand ? undefined : await import('./library.mjs'); // with the compiler of TypeScript
const bundling = library?.bundleLibrary();
bundling?.catch(() => {}); // told below: the command can be used without the library
const cli = await attempt('the command', buildCli);
writeAtomic(join(root, '.oclif.manifest.json'), await manifestText({root, pjson: inlinedPackage()}));
const {rootHelp, allHelp, completionTree, manPages} = require(join(dist, 'remit.cjs'));
writeAtomic(join(dist, 'help.txt'), await rootHelp(root));
writeHelp(await allHelp(root));
writeAtomic(join(dist, 'completion.json'), await completionTree(root));
mkdirSync(join(dist, 'man'), {recursive: true});
for (const [name, text] of await manPages(root)) writeAtomic(join(dist, 'man', name), text);
if (library !== undefined)
  await attempt('the library', async () => {
    const bundles = await bundling;
    library.writeLibrary(bundles);
    describe([...cli, ...bundles]);
  });
