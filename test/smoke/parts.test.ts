import assert from 'node:assert/strict';
import {builtinModules} from 'node:module';
import {before, describe, it} from 'mocha';
import {readJson, readText, ROOT} from '../repo/tree.ts';

interface Bundle {
  file: string;
  code: string;
  legal: string;
  metafile: {
    inputs: Record<string, unknown>;
    outputs: Record<string, {imports: {path: string; kind: string}[]}>;
  };
}
interface Package {
  folder: string;
  manifest: {name: string; version: string; license: string};
  bundledIn: string[];
}
interface Component {
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses: [{license: {id: string}}];
  hashes: {alg: string; content: string}[];
  evidence?: {occurrences: {location: string}[]};
}
interface Sbom {
  bomFormat: string;
  specVersion: string;
  version: number;
  serialNumber?: string;
  metadata: {timestamp?: string; component: Component};
  components: Component[];
  dependencies: {ref: string; dependsOn?: string[]}[];
}
interface Manifest {
  dependencies: Record<string, string>;
  version: string;
}

/** bin/ is plain JavaScript, without types of its own. */
const load = (path: string): Promise<object> => import(path) as Promise<object>;
const {asFile, bundle, bundleLibrary, inlinedPackage, manifestText, shippedPackages, licencesText, sbomText} =
  {
    ...(await load('../../bin/bundle.mjs')),
    ...(await load('../../bin/library.mjs')),
    ...(await load('../../bin/manifest.mjs')),
    ...(await load('../../bin/packages.mjs')),
    ...(await load('../../bin/sbom.mjs')),
  } as {
    asFile: (code: string) => string;
    bundle: () => Promise<Bundle[]>;
    bundleLibrary: () => Promise<Bundle[]>;
    inlinedPackage: () => object;
    manifestText: (facts: {root: string; pjson: object}) => Promise<string>;
    shippedPackages: (bundles: Bundle[]) => Package[];
    licencesText: (packages: Package[], notices: string[]) => string;
    sbomText: (packages: Package[], locked: object) => string;
  };

const {dependencies, version} = readJson('package.json') as Manifest;
const {packages: locked} = readJson('package-lock.json') as {
  packages: Record<string, {version: string; license: string; integrity: string}>;
};
/** pg asks for them, and works without. */
const TRIED = new Set(['pg-native', 'pg-cloudflare']);
const unique = (texts: readonly string[]) => assert.deepEqual(texts, [...new Set(texts)]);

describe('what is shipped', function () {
  this.timeout(240_000);
  let command: Bundle[];
  let bundles: Bundle[];
  let packages: Package[];

  before(async () => {
    command = await bundle();
    bundles = [...command, ...(await bundleLibrary())];
    packages = shippedPackages(bundles);
  });

  it('is the same bytes each time, and the manifest with it', async () => {
    assert.deepEqual(
      command.map(({file}) => file),
      ['dist/remit.cjs', 'dist/more.cjs', 'dist/rest.cjs'],
    );
    for (const {file, code} of command) {
      assert.equal(asFile(code) === readText(file), true, `${file} of the last build differs: npm run build`);
      assert.match(code, /^[\x00-\x7f]*$/, 'the launcher reads it as ASCII');
      assert.doesNotMatch(code, /process\.stdout\.on\(/, "oclif's listener");
      assert.doesNotMatch(code, new RegExp(ROOT.replaceAll('/', '\\/')), 'no path of this machine');
    }
    const manifest = await manifestText({root: ROOT, pjson: inlinedPackage()});
    assert.equal(
      manifest,
      readText('.oclif.manifest.json'),
      'npm run build, and commit .oclif.manifest.json',
    );
  });

  it('loads nothing but Node, its own files and the packages that are installed with it', () => {
    for (const {file, metafile} of bundles) {
      const loaded = Object.values(metafile.outputs)
        .flatMap(({imports}) => imports)
        .filter(({kind}) => kind !== 'require-resolve') // only asks whether a package is there
        .map(({path}) => path);
      const foreign = loaded.filter(
        (path) =>
          !/^(node:|other-part:|\.\/\w+\.cjs$)/.test(path) && !(path in dependencies) && !TRIED.has(path),
      );
      assert.deepEqual(
        foreign.filter((path) => !builtinModules.includes(path)),
        [],
        file,
      );
    }
  });

  it('keeps the command out of the library, and packages out of its entries', () => {
    const inputs = (name: string) =>
      Object.keys(bundles.find(({file}) => file === `dist/lib/${name}.cjs`)!.metafile.inputs);
    for (const name of ['client', 'webhooks', 'errors', 'schemas'])
      assert.deepEqual(
        inputs(name).filter((path) => /^src\/(cli|commands|sandbox|batch)\//.test(path)),
        [],
        name,
      );
    for (const name of ['client', 'webhooks', 'errors'])
      assert.deepEqual(
        [...new Set(inputs(name).flatMap((path) => /^node_modules\/([^/]+)/.exec(path)?.[1] ?? []))],
        name === 'client' ? ['lossless-json'] : [], // reads the numbers that JSON.parse would round
        name,
      );
  });

  it('comes with the licence of every package and every notice in a file', () => {
    const text = readText('dist/THIRD-PARTY-LICENCES.txt');
    assert.equal(
      text,
      licencesText(
        packages,
        bundles.map(({legal}) => legal),
      ),
      'npm run build',
    );
    const sections = text.split(`\n${'-'.repeat(80)}\n\n`);
    for (const {name, version, license} of packages.map(({manifest}) => manifest)) {
      const own = sections.find((section) => section.split('\n').includes(`${name} ${version} (${license})`));
      assert.match(own ?? '', /permi(t|ssion)|Licen[cs]e/i, name);
      assert.ok(own!.length > 500, `${name} has its licence's text`);
    }
    for (const name of ['@oclif/core', 'node-sqlite3-wasm', 'undici', 'zod'])
      assert.ok(
        packages.some(({manifest}) => manifest.name === name),
        name,
      );
    assert.match(text, /^\/\*! formdata-polyfill\. MIT License\. /m, 'undici holds code of others');
  });

  it('has a list of parts that a second build repeats', () => {
    assert.equal(readText('dist/sbom.cdx.json'), sbomText(packages, locked), 'npm run build');
  });

  describe('in its list of parts', () => {
    const bom = readJson('dist/sbom.cdx.json') as Sbom;

    it('follows CycloneDX 1.6, without a time or a random number', () => {
      assert.deepEqual([bom.bomFormat, bom.specVersion, bom.version], ['CycloneDX', '1.6', 1]);
      assert.deepEqual([bom.serialNumber, bom.metadata.timestamp], [undefined, undefined]);
      assert.equal(bom.metadata.component.purl, `pkg:npm/remit-cli@${version}`);
      const all = [bom.metadata.component, ...bom.components];
      const refs = all.map((component) => component['bom-ref']);
      unique(refs);
      for (const {group, name, version, purl, licenses} of all) {
        assert.match(purl, /^pkg:npm\/(%40[a-z0-9-]+\/)?[a-z0-9._-]+@\d+\.\d+\.\d+$/);
        assert.equal(
          decodeURIComponent(purl),
          `pkg:npm/${group === undefined ? '' : `${group}/`}${name}@${version}`,
        );
        assert.match(licenses[0].license.id, /^[A-Za-z0-9.-]+$/);
      }
      unique(bom.dependencies.map(({ref}) => ref));
      assert.deepEqual(bom.dependencies.map(({ref}) => ref).sort(), [...refs].sort());
      for (const {dependsOn = []} of bom.dependencies) {
        unique(dependsOn);
        for (const ref of dependsOn) assert.ok(refs.includes(ref), ref);
      }
    });

    it('has the versions, licences and hashes of the lock file', () => {
      const facts = packages.map(({folder, manifest: {name}}) => {
        const {version, license, integrity} = locked[folder]!;
        return [
          name,
          version,
          license,
          Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
        ];
      });
      const listed = bom.components.map(({group, name, version, licenses, hashes}) => [
        group === undefined ? name : `${group}/${name}`,
        version,
        licenses[0].license.id,
        hashes.find(({alg}) => alg === 'SHA-512')!.content,
      ]);
      assert.deepEqual(listed, facts);
    });

    it('leads from remit to every part', () => {
      const edges = new Map(bom.dependencies.map(({ref, dependsOn}) => [ref, dependsOn ?? []]));
      const reached = new Set([bom.metadata.component['bom-ref']]);
      for (const ref of reached) for (const next of edges.get(ref)!) reached.add(next);
      assert.deepEqual(
        bom.components.map((one) => one['bom-ref']).filter((ref) => !reached.has(ref)),
        [],
      );
    });

    it('says which file a part is in', () => {
      const locations = (name: string) =>
        bom.components.find((one) => one.name === name)!.evidence?.occurrences.map(({location}) => location);
      assert.deepEqual(locations('zod'), ['dist/lib/sandbox.cjs', 'dist/lib/schemas.cjs', 'dist/more.cjs']);
      assert.deepEqual(locations('undici'), ['dist/rest.cjs']);
      assert.deepEqual(locations('pg'), ['dist/lib/pg.cjs', 'dist/rest.cjs']);
      assert.equal(locations('node-sqlite3-wasm'), undefined, 'it is installed, not bundled');
    });
  });
});
