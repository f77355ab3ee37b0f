import assert from 'node:assert/strict';
import {execFile, spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {after, before, describe, it} from 'mocha';
import {payout} from '../commands/fixtures.ts';
import {linkedFiles} from '../repo/markdown.ts';
import {ROOT, readText} from '../repo/tree.ts';
import {installPackage, linkPackages, typeCheck} from './installed-package.ts';
import {scriptedServer, type ScriptedServer} from './scripted-server.ts';
import {cleanEnv} from './spawn-cli.ts';

const ENTRIES = ['remit-cli', 'remit-cli/batch', 'remit-cli/sandbox', 'remit-cli/webhooks'];
const NODENEXT = {module: 'nodenext', moduleResolution: 'nodenext'};
const BUNDLER = {module: 'esnext', moduleResolution: 'bundler'};
/** The declarations themselves are checked once, by a test of their own. */
const USED = {lib: ['es2022'], skipLibCheck: true};

function bytesUnder(folder: string): number {
  return readdirSync(folder, {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .reduce((sum, {parentPath, name}) => sum + statSync(join(parentPath, name)).size, 0);
}

describe('the packed package', function () {
  this.timeout(240_000);
  let app: string;
  let files: string[];
  let installed: string[];
  const modules = () => join(app, 'node_modules');

  before(() => {
    ({app, files} = installPackage());
    installed = readdirSync(modules()).filter((name) => !name.startsWith('.'));
    linkPackages(app, ['@types/node']);
  });

  const run = (...argv: string[]) => {
    const {status, stdout, stderr} = spawnSync(process.execPath, argv, {
      cwd: app,
      env: cleanEnv(),
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /warning/i);
    return stdout;
  };

  it('holds the tool, the library, the docs and the licences, and no sources', () => {
    for (const name of [
      '.oclif.manifest.json',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/refuse.cjs',
      'bin/run.cjs',
      'dist/THIRD-PARTY-LICENCES.txt',
      'dist/help-of-all.json',
      'dist/help-of-all.br',
      'dist/layout.cjs',
      'dist/more.cjs',
      'dist/help.txt',
      'dist/commands.txt',
      'dist/frames.json.br',
      'dist/remit.cjs',
      'dist/rest.cjs',
      'dist/sbom.cdx.json',
      'docs/start.md',
    ])
      assert.ok(files.includes(name), name);
    const others =
      /^(\.oclif\.manifest\.json$|[A-Z]+(\.md)?$|package\.json$|bin\/(run|refuse)\.cjs$|dist\/|docs\/)/;
    assert.deepEqual(
      files.filter((name) => !others.test(name) || name === 'dist/.remit-built'),
      [],
    );
  });

  it('holds every file that one of its pages links to', () => {
    const root = join(modules(), 'remit-cli');
    const pages = files.filter((name) => name.endsWith('.md'));
    const links = pages.flatMap((page) => linkedFiles(page, readFileSync(join(root, page), 'utf8')));
    assert.ok(links.includes('docs/start.md'), 'README.md was read');
    assert.deepEqual(
      links.filter((file) => !files.includes(file)),
      [],
      'add them to "files" in package.json, or link elsewhere',
    );
  });

  it('installs SQLite for Node versions without it, and nothing else', () => {
    assert.deepEqual(installed.sort(), ['node-sqlite3-wasm', 'remit-cli']);
    const bytes = installed.reduce((sum, name) => sum + bytesUnder(join(modules(), name)), 0);
    assert.ok(bytes < 9_200_000, `${bytes} bytes are installed`);
  });

  it('has a command that runs', () => {
    const bin = join(modules(), '.bin', 'remit');
    assert.match(run(bin, '--version'), /^remit-cli\//);
    assert.match(run(bin, 'payouts', 'create', '--help'), /--payee=ID/);
    assert.equal(run(bin, 'profiles', 'list', '--json'), '[]\n');
  });

  describe('as a library', () => {
    let server: ScriptedServer;
    before(async () => {
      server = await scriptedServer([{status: 200, body: payout()}]);
    });
    after(() => server.close());

    const names = `console.log(Object.keys(library).sort().join())`;
    it('gives import and require the same names, without a warning', () => {
      for (const entry of ENTRIES) {
        const esm = run('--input-type=module', '-e', `import * as library from '${entry}'; ${names}`);
        assert.equal(run('-e', `const library = require('${entry}'); ${names}`), esm);
        assert.match(esm, /\bRemitError\b/);
      }
    });

    it('gives import and require, and both entries, the same classes', () => {
      const script = `
        import {createRequire} from 'node:module';
        import {RemitClient, RemitError} from 'remit-cli';
        import * as batch from 'remit-cli/batch';
        import * as sandbox from 'remit-cli/sandbox';
        import * as webhooks from 'remit-cli/webhooks';
        const require = createRequire(import.meta.url);
        const required = ${JSON.stringify(ENTRIES)}.map((entry) => require(entry));
        console.log(required[0].RemitClient === RemitClient,
          required[3].ReplayMemory === webhooks.ReplayMemory,
          [batch, sandbox, webhooks, ...required].every((library) => library.RemitError === RemitError));`;
      assert.equal(run('--input-type=module', '-e', script), 'true true true\n');
    });

    it('sends a request', async () => {
      const script = `
        const {RemitClient} = require('remit-cli');
        (async () => {
          const client = new RemitClient({baseUrl: '${server.baseUrl}', key: 'test_0123456789abcdef'});
          const {data} = await client.payouts.get({id: '${payout().id}'});
          console.log(data.id);
          await client.close();
        })();`;
      const child = promisify(execFile)(process.execPath, ['-e', script], {
        cwd: app,
        env: cleanEnv(),
        timeout: 120_000,
      });
      assert.equal((await child).stdout, `${payout().id}\n`); // the server runs in this process
    });

    it('checks a body against the contract', () => {
      const script = `
        import {RemitError, validateBody} from 'remit-cli';
        await validateBody('payouts.create', {payee_id: 1}).catch((error) =>
          console.log(error instanceof RemitError, error.code, error.details.fields.map(({field}) => field).join()));`;
      assert.match(run('--input-type=module', '-e', script), /^true LOCAL_VALIDATION payee_id\n$/);
    });

    it('is loaded without the code of the command', () => {
      const loaded = (entry: string) =>
        run('-e', `require('${entry}'); console.log(Object.keys(require.cache).join())`)
          .trim()
          .split(',')
          .map((path) => path.replace(/.*\//, ''))
          .sort();
      assert.deepEqual(loaded('remit-cli'), ['client.cjs', 'errors.cjs']);
      assert.deepEqual(loaded('remit-cli/batch'), ['batch.cjs', 'errors.cjs']);
      assert.deepEqual(loaded('remit-cli/sandbox'), ['errors.cjs', 'sandbox.cjs']);
      assert.deepEqual(loaded('remit-cli/webhooks'), ['errors.cjs', 'webhooks.cjs']);
    });
  });

  describe('has types that', () => {
    const check = (sources: Record<string, string>, options: object) =>
      assert.equal(typeCheck(app, sources, options), '');

    /** An import of everything that an entry exports, types included. */
    const importAll = (entry: 'automation' | 'library' | 'sandbox' | 'webhooks', specifier: string) => {
      const index = readFileSync(
        join(modules(), 'remit-cli', 'dist', 'lib', 'types', entry, 'index.d.ts'),
        'utf8',
      );
      const exported = [...index.matchAll(/export (type )?\{([^}]+)\}/g)].flatMap(([, type, list]) =>
        [...list!.matchAll(/(type )?(?:\w+ as )?(\w+)/g)].map(
          ([, own, name]) => `${type ?? own ?? ''}${name}`,
        ),
      );
      assert.ok(exported.length > 10, index);
      const types = exported.filter((name) => name.startsWith('type '));
      const aliasOf = (name: string) => `${entry}_${name.replace('type ', '')}`;
      return {
        imported: `import {${exported.map((name) => `${name} as ${aliasOf(name)}`).join(', ')}} from '${specifier}';
          export {${exported.map(aliasOf).join(', ')}};`,
        required: `import ${entry} = require('${specifier}');
          export const ${entry}_values = [${exported
            .filter((name) => !types.includes(name))
            .map((name) => `${entry}.${name}`)
            .join(', ')}];`,
      };
    };

    it('check strictly in ES modules, CommonJS and bundlers, with @types/node alone', () => {
      const all = [
        importAll('library', 'remit-cli'),
        importAll('automation', 'remit-cli/batch'),
        importAll('sandbox', 'remit-cli/sandbox'),
        importAll('webhooks', 'remit-cli/webhooks'),
      ];
      const esm = all.map(({imported}) => imported).join('\n');
      const cjs = all.map(({required}) => required).join('\n');
      const strictest = {
        lib: ['es2022'],
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: false,
      };
      check({'a.mts': esm, 'b.cts': cjs}, {...NODENEXT, ...strictest});
      check({'c.ts': esm}, {...BUNDLER, ...strictest});
    });

    it('know requests and answers', () => {
      const source = `
        import {RemitClient, type ListItem} from 'remit-cli';
        const client = new RemitClient({baseUrl: 'https://example.com', key: 'test_a'});
        const body = {payee_id: 'p', amount_in_minor_units: 1, rail: 'wire'} as const;
        export const status: Promise<string> = client.payouts.create(body).then(({data}) => data.status);
        export const items: Promise<ListItem<'payouts.list'>[]> = client.payouts.list({status: 'created'}).toArray();
        // @ts-expect-error no such rail
        void client.payouts.create({...body, rail: 'pigeon'});
        // @ts-expect-error a payout needs a payee
        void client.payouts.create({amount_in_minor_units: 1});
        // @ts-expect-error no such status
        void client.payouts.list({status: 'lost'});
        // @ts-expect-error an amount is a number
        export const amount: Promise<string> = client.payouts.get({id: 'p'}).then(({data}) => data.amount_in_minor_units);`;
      check({'d.mts': source}, {...NODENEXT, ...USED});
    });

    it('accept the TypeScript example of the library guide, with nodenext, node16 and bundler', () => {
      const [, example] = /```ts\n([^]*?)```/.exec(readText('docs/guides/library.md'))!;
      const node16 = {module: 'node16', moduleResolution: 'node16'};
      check({'i.mts': example!}, {...NODENEXT, lib: ['es2022']});
      check({'i.mts': example!}, {...NODENEXT, ...node16, lib: ['es2022']});
      check({'i.ts': example!}, {...BUNDLER, lib: ['es2022']});
    });

    it('know what a batch and a sandbox are given and answer', () => {
      const source = `
        import {Batches, type BatchRow} from 'remit-cli/batch';
        import {startSandbox} from 'remit-cli/sandbox';
        const service = {baseUrl: 'https://example.com', key: 'test_a'};
        const batches = new Batches(service);
        const row: BatchRow = {reference: 'a', payee_id: 'p', amount: '1.00', currency_code: 'USD'};
        export const planned: Promise<number> = batches.plan({id: 'a', rows: [row]}).then(({planned: rows}) => rows);
        export const ended: Promise<number> = batches.run('a', {confirm: {count: 1, totals: {USD: '1.00'}}}).then(({summary}) => summary.in_doubt);
        // @ts-expect-error a run states what it may send
        void batches.run('a', {});
        // @ts-expect-error an amount in major units is text: a number may not be exact
        void batches.plan({id: 'a', rows: [{...row, amount: 1.1}]});
        // @ts-expect-error either rows or a file
        void batches.plan({id: 'a', rows: [row], file: 'a.csv'});
        // @ts-expect-error a profile has its own key
        new Batches({profile: 'prod', key: 'test_a'}).summary('a');
        export const settled: Promise<string> = startSandbox({timing: 'instant'}).then(async (sandbox) => {
          // @ts-expect-error no such kind
          void sandbox.simulate({kind: 'move', id: 'a', outcome: 'settle'});
          return (await sandbox.advance({until: 'idle'})).now;
        });`;
      check({'j.mts': source}, {...NODENEXT, lib: ['es2022']});
    });

    it('know what a verifier is given and answers', () => {
      const source = (load: string) => `${load}
        declare const request: import('node:http').IncomingMessage;
        declare const parsed: {id: string};
        declare const text: string;
        export async function receive(): Promise<string> {
          const body = await readRawBody(request);
          const headers = request.rawHeaders;
          const verified = verifyWebhook({body, headers, secrets: 'a'});
          verifyWebhook({body, headers: request.headers, secrets: ['a', Buffer.from('b')], replays: new ReplayMemory()});
          verifyWebhook({body, headers: new Headers(), secrets: 'a', toleranceSeconds: {past: 1, future: 2}});
          // @ts-expect-error text is not the raw body
          verifyWebhook({body: text, headers, secrets: 'a'});
          // @ts-expect-error neither is what a parser made of it
          verifyWebhook({body: parsed, headers, secrets: 'a'});
          // @ts-expect-error a secret is needed
          verifyWebhook({body, headers});
          if (!verified.ok) return verified.reason satisfies RejectReason;
          const event = parseEvent(body);
          if (event === undefined) return 'no event';
          switch (event.type) {
            case 'payout.debited':
            case 'payout.settled':
            case 'payout.failed':
              return event.data.payout_id;
            case 'payin.settled':
            case 'payin.failed':
              return event.data.payin_id;
            case 'subaccount.credit_received':
              return String(event.data.amount_in_minor_units.toFixed());
            default:
              return String(event satisfies UnknownWebhookEvent);
          }
        }`;
      const names =
        'parseEvent, readRawBody, ReplayMemory, verifyWebhook, type RejectReason, type UnknownWebhookEvent';
      const imported = source(`import {${names}} from 'remit-cli/webhooks';`);
      const required = source(`import webhooks = require('remit-cli/webhooks');
        const {parseEvent, readRawBody, ReplayMemory, verifyWebhook} = webhooks;
        type RejectReason = webhooks.RejectReason; type UnknownWebhookEvent = webhooks.UnknownWebhookEvent;`);
      check({'f.mts': imported, 'g.cts': required}, {...NODENEXT, ...USED});
      check({'h.ts': imported}, {...BUNDLER, ...USED});
    });

    it('are those that the schemas infer', () => {
      symlinkSync(join(ROOT, 'src'), join(app, 'src'));
      linkPackages(app, ['zod']);
      const source = `
        import type * as ours from './src/contract/schemas/registry.ts';
        import type * as packed from './node_modules/remit-cli/dist/lib/types/contract/schemas/registry.js';
        type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? never : 'wider') : 'other';
        type Differing = {
          [N in ours.SchemaName]: Same<ours.Input<N>, packed.Input<N>> | Same<ours.Output<N>, packed.Output<N>> extends never
            ? never : N}[ours.SchemaName];
        export const none: [Differing] extends [never] ? true : Differing = true;
        export const names: Same<ours.SchemaName, packed.SchemaName> extends never ? true : false = true;`;
      const options = {
        ...NODENEXT,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        preserveSymlinks: true,
      };
      const wrong = `${source}\nexport const wrong: Differing = 1;`;
      assert.match(typeCheck(app, {'e.mts': source, 'wrong.mts': wrong}, options), /^wrong\.mts[^\n]*\n$/);
    });
  });
});
