// What package.json exports, as CommonJS with an ES module in front of each entry. CommonJS holds the code, so that
// import and require get the same classes: `error instanceof RemitError` is true whichever way either was loaded.
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {builtinModules, createRequire} from 'node:module';
import {dirname, join, relative} from 'node:path';
import {build} from 'esbuild';
import {root} from './commands.mjs';
import {declarations} from './declarations.mjs';

const require = createRequire(import.meta.url);

/** Entries of the package: file in dist/lib -> source. */
export const ENTRIES = {
  batch: 'src/automation/index.ts',
  client: 'src/library/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
};
/** Files of their own: the errors since all entries throw them, the others since they load at their first use. */
const SHARED = {errors: 'src/errors.ts', schemas: 'src/contract/schemas/registry.ts', pg: 'pg'};
/** Mostly code of other packages, with short names. Ours keeps its names: a stack trace shows them. */
const SHORTENED = ['schemas', 'pg'];
/** Without white space: nothing of it is in a stack trace, since what it throws is caught. Node prints the line that threw. */
const MINIFIED = ['pg'];
/** pg tries to load these, which are never installed with us. A bundler would report that it cannot find them. */
const ABSENT = /^(pg-native|pg-cloudflare)$/;
/** Installed with us, and loaded from there: it finds its .wasm file beside itself. */
const INSTALLED = 'node-sqlite3-wasm';

/** A bundler may have put this file into an ES module, which has no file name. */
const OWN_URL =
  'const __importMetaUrl = typeof __filename === "string" ? process.getBuiltinModule("node:url").pathToFileURL(__filename).href : undefined;';
/** Where an installed package is looked for: beside this file, then beside the program, if a bundler has moved this file. */
const REQUIRE_INSTALLED = `const __requireInstalled = (name) => {
  const {createRequire} = process.getBuiltinModule('node:module');
  const places = [typeof __filename === 'string' ? __filename : undefined, process.argv[1], process.cwd() + '/index.js'];
  const found = places.filter((place) => place !== undefined).find((place) => {
    try {
      return createRequire(place).resolve(name);
    } catch {
      return false;
    }
  });
  return createRequire(found ?? places[2])(name);
};`;
/** A test that replaces time and timers, with vitest, jest or sinon, must not stop the sandbox. */
const OWN_TIMERS = `const {setTimeout, clearTimeout, setInterval, clearInterval, setImmediate} = process.getBuiltinModule('node:timers');
const {performance} = process.getBuiltinModule('node:perf_hooks');
const {Date} = globalThis;
const __hrtime = process.hrtime;`;
const BANNERS = {batch: OWN_URL, sandbox: `${OWN_TIMERS}\n${REQUIRE_INSTALLED}`};

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
    minifyWhitespace: MINIFIED.includes(name),
    minifySyntax: true, // 55 KB less; names and lines stay
    minifyIdentifiers: SHORTENED.includes(name),
    legalComments: 'external',
    define: {
      'import.meta.url': '__importMetaUrl',
      ...(name === 'sandbox' ? {'process.hrtime': '__hrtime'} : {}),
    },
    banner: {js: BANNERS[name] ?? ''},
    metafile: true,
    external: [INSTALLED],
    plugins: [sharedFiles, absentPackages],
    logLevel: 'warning',
  });
  const text = (extension) => outputFiles.find(({path}) => path.endsWith(extension))?.text ?? '';
  return {
    file: `dist/lib/${name}.cjs`,
    metafile,
    code: withoutRequires(withClassNames(text('.cjs'))),
    legal: text('.LEGAL.txt'),
  };
}

const sharedFiles = {
  name: 'shared-files',
  setup(plugin) {
    plugin.onResolve({filter: /^pg$|\/(errors|registry)\.ts$/}, ({kind, path, resolveDir}) => {
      if (kind === 'entry-point' || resolveDir.includes('node_modules')) return undefined; // pg requires itself
      const source = path.startsWith('.')
        ? relative(root, join(resolveDir, path)).replaceAll('\\', '/')
        : path;
      const [name] = Object.entries(SHARED).find((entry) => entry[1] === source) ?? [];
      return name && {path: `./${name}.cjs`, external: true};
    });
  },
};

const absentPackages = {
  name: 'absent-packages',
  setup(plugin) {
    plugin.onResolve({filter: ABSENT}, ({path}) => ({path, namespace: 'absent'}));
    plugin.onLoad({filter: /./, namespace: 'absent'}, ({path}) => ({
      contents: `throw Object.assign(new Error('${path} is not used'), {code: 'MODULE_NOT_FOUND'});`,
    }));
  },
};

/** esbuild calls a class that names itself `_Name`, and so would a stack trace. */
function withClassNames(code) {
  const names = [...code.matchAll(/\b(\w+) = class _\1\b/g)].map(([, name]) => name);
  return names.reduce((text, name) => text.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), name), code);
}

/**
 * Modules of Node without require(), which a bundler that writes ES modules leaves in them, where it does not exist; and
 * the installed package without its name, which a bundler would take in.
 */
function withoutRequires(code) {
  return code
    .replaceAll(/(?<![.\w])require\("(?:node:)?([\w/]+)"\)/g, (call, name) =>
      builtinModules.includes(name) ? `process.getBuiltinModule("node:${name}")` : call,
    )
    .replaceAll(`require("${INSTALLED}")`, `__requireInstalled("${INSTALLED}")`);
}

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
