import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {scratchFolder} from '../scratch-folder.ts';

const LOADER = new URL('../../../bin/typescript.mjs', import.meta.url).href;
const WASM = new URL('../../../src/store/sqlite/wasm.ts', import.meta.url).href;

/** (func (export "f") (param i32) (result i32)), which counts down to zero. */
const MODULE = [
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f],
  ...[3, 2, 1, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0],
  ...[10, 21, 1, 19, 0, 0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0],
  ...[0x41, 0, 0x4a, 0x0d, 0, 0x0b, 0x20, 0, 0x0b],
];

/** Whether V8 compiles a function of another module a second time once it has run often. */
const OF_OTHERS = `
  const {f} = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${MODULE.join()}]))).exports;
  for (const until = Date.now() + 20_000; !%IsTurboFanFunction(f) && Date.now() < until; ) {
    for (let i = 0; i < 100; i++) f(100_000);
    await new Promise((resolve) => setTimeout(resolve, 10)); // it is compiled on another thread
  }
  console.log(%IsTurboFanFunction(f));`;

/** What V8 tells of its second compilations while SQLite makes and reads a table. */
const OF_SQLITE = `
  const db = await openWasm('OTHER');
  db.exec('CREATE TABLE a (b)');
  for (let i = 0; i < 200; i++) db.prepare('INSERT INTO a VALUES (?)').run([i]);
  console.log(db.prepare('SELECT count(*) AS n FROM a').get([]).n);
  await new Promise((resolve) => setTimeout(resolve, 500));
  db.close();`;

describe('SQLite in WASM', () => {
  const folder = scratchFolder();
  const run = async (flags: string[], code: string) => {
    const [file, other] = ['a.db', 'b.db'].map((name) => join(folder(), name));
    const open = `import {openWasm} from ${JSON.stringify(WASM)}; (await openWasm(${JSON.stringify(file)})).close();`;
    const program = open + code.replace("'OTHER'", JSON.stringify(other));
    const args = ['--import', LOADER, '--input-type=module', '--eval', program];
    return (await promisify(execFile)(process.execPath, [...flags, ...args])).stdout;
  };

  it('lets V8 optimise other modules, such as the parser of undici', async () => {
    assert.equal(await run(['--allow-natives-syntax'], OF_OTHERS), 'true\n');
  });

  it('is compiled once by a command, which ends before a second compilation pays', async () => {
    const told = await run(['--trace-wasm-compilation-times'], OF_SQLITE);
    assert.match(told, /^200$/m);
    assert.doesNotMatch(told, /turbofan/i);
  });
});
