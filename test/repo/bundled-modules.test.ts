import assert from 'node:assert/strict';
import {compileFunction} from 'node:vm';
import {describe, it} from 'mocha';

interface Tools {
  asCommonJs: (source: string, loader: 'ts') => Promise<string>;
  withValues: (code: string) => string;
}
/** bin/ is plain JavaScript, without types of its own. */
const load = (path: string): Promise<Partial<Tools>> => import(path) as Promise<Partial<Tools>>;
const {asCommonJs, withValues} = {...(await load('../../bin/modules.mjs'))} as Tools;

/** What a module of this source exports in the bundle, and how each property is defined. */
async function exportsOf(source: string): Promise<PropertyDescriptorMap> {
  const code = withValues(await asCommonJs(source, 'ts'));
  const module = {exports: {}};
  const other = () => ({name: 'other'});
  const define = (to: object, getters: Record<string, () => unknown>) => {
    for (const [name, get] of Object.entries(getters)) Object.defineProperty(to, name, {get});
  };
  const names = ['module', 'exports', 'require', '$export', '$module'];
  const run = compileFunction(code, names) as (...values: unknown[]) => void;
  run(module, module.exports, other, define, Symbol('module'));
  return Object.getOwnPropertyDescriptors(module.exports);
}

describe('a module in the bundle', () => {
  it('exports values, which are complete when it has run', async () => {
    const {
      f,
      C,
      a,
      b,
      default: main,
    } = await exportsOf(`
      export const a = 1;
      export function f() { return C; }
      export class C {}
      const local = 2;
      export {local as b};
      export default class Main {}
    `);
    assert.deepEqual([a?.value, b?.value], [1, 2]);
    assert.equal((f?.value as () => unknown)(), C?.value);
    assert.equal((main?.value as {name: string}).name, 'Main');
  });

  it('asks for what it only passes on when that is used', async () => {
    const {name, own} = await exportsOf(`export {name} from './other.ts'; export const own = 1;`);
    assert.deepEqual([name?.value, name?.get?.(), own?.get?.()], [undefined, 'other', 1]);
  });

  it('asks each time for a variable that is assigned again', async () => {
    const {count, next} = await exportsOf('export let count = 0; export function next() { count += 1; }');
    (next?.get?.() as () => void)();
    assert.equal(count?.get?.(), 1);
  });
});
