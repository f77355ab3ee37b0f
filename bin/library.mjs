// What package.json exports, as CommonJS with an ES module in front of each entry. CommonJS holds the code, so that
// import and require get the same classes: `error instanceof RemitError` is true whichever way either was loaded.
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, relative} from 'node:path';
import {build} from 'esbuild';
import {root} from './commands.mjs';
import {declarations} from './declarations.mjs';

const require = createRequire(import.meta.url);

/** Entries of the package: file in dist/lib -> source. */
export const ENTRIES = {
  batch: 'src/automation/index.ts',
  client: 'src/client/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
};
/** Files of their own: the errors since both entries throw them, the others since they load at their first use. */
const SHARED = {errors: 'src/errors.ts', schemas: 'src/contract/schemas/registry.ts', undici: 'undici'};
/** Mostly code of other packages; the others keep their names in stack traces. */
const SHORT_NAMES = ['sandbox', 'schemas', 'undici'];

const OWN_URL = 'const __importMetaUrl=require("node:url").pathToFileURL(__filename).href;';

/** @returns {Promise<{file: string, metafile: object, code: string, legal: string}[]>} */
export function bundleLibrary() {
  return Promise.all(
    Object.entries({...ENTRIES, ...SHARED}).map(([name, source]) => bundleOne(name, source)),
  );
}

async function bundleOne(name, source) {
  const {metafile, outputFiles} = await build({
    entryPoints: {[name]: source},
    absWorkingDir: root,
    outdir: 'dist/lib',
    outExtension: {'.js': '.cjs'},
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: {'dynamic-import': false}, // require() is one way to the shared files, also for bundlers
    minifyWhitespace: true, // Node reads a CommonJS file once more for the names that import may take from it
    minifySyntax: true,
    minifyIdentifiers: SHORT_NAMES.includes(name),
    legalComments: 'external',
    define: {'import.meta.url': '__importMetaUrl'},
    ...(name === 'batch' ? {banner: {js: OWN_URL}} : {}), // it finds the command beside itself
    metafile: true,
    external: ['node-sqlite3-wasm', 'pg-native', 'pg-cloudflare'], // the first is installed with us; pg tries the others
    plugins: [sharedFiles],
    logLevel: 'warning',
  });
  const text = (extension) => outputFiles.find(({path}) => path.endsWith(extension))?.text ?? '';
  return {file: `dist/lib/${name}.cjs`, metafile, code: text('.cjs'), legal: text('.LEGAL.txt')};
}

const sharedFiles = {
  name: 'shared-files',
  setup(plugin) {
    plugin.onResolve({filter: /^undici$|\/(errors|registry)\.ts$/}, ({kind, path, resolveDir}) => {
      if (kind === 'entry-point') return undefined;
      const source = path.startsWith('.')
        ? relative(root, join(resolveDir, path)).replaceAll('\\', '/')
        : path;
      const [name] = Object.entries(SHARED).find((entry) => entry[1] === source) ?? [];
      return name && {path: `./${name}.cjs`, external: true};
    });
  },
};

/** Writes dist/lib. */
export function writeLibrary(bundles) {
  rmSync(join(root, 'dist', 'lib'), {recursive: true, force: true});
  const write = (file, text) => {
    const path = join(root, 'dist', 'lib', file);
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, text);
  };
  for (const {file, code} of bundles) write(file.replace('dist/lib/', ''), code);
  for (const [path, text] of declarations(Object.values(ENTRIES))) write(`types/${path}`, text);
  write('types/package.json', '{"type": "commonjs"}\n');
  for (const [name, source] of Object.entries(ENTRIES)) {
    const names = Object.keys(require(join(root, 'dist', 'lib', `${name}.cjs`))).sort();
    const types = source.replace(/^src\//, './types/').replace(/\.ts$/, '.js');
    write(
      `${name}.mjs`,
      `import library from './${name}.cjs';\nexport const {${names.join(', ')}} = library;\n`,
    );
    for (const extension of ['d.cts', 'd.mts']) write(`${name}.${extension}`, `export * from '${types}';\n`);
  }
}
