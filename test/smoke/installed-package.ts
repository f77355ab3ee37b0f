import {execFileSync, type ExecFileSyncOptionsWithStringEncoding} from 'node:child_process';
import {mkdirSync, mkdtempSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import ts from 'typescript';
import {readJson, ROOT} from '../repo/tree.ts';

export interface InstalledPackage {
  /** A project in which npm installed the packed package. */
  app: string;
  /** Paths in the tarball. */
  files: string[];
}

/** Packs the package and installs it as users do, without a registry: what it depends on is taken from this project. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'remit-installed-'));
  const quiet: ExecFileSyncOptionsWithStringEncoding = {encoding: 'utf8', stdio: 'pipe'};
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    ...quiet,
  });
  const [{filename, files}] = JSON.parse(packed) as [{filename: string; files: {path: string}[]}];
  const {dependencies} = readJson('package.json') as {dependencies: Record<string, string>};
  const local = Object.keys(dependencies).map((name) => [name, `file:${join(ROOT, 'node_modules', name)}`]);
  const app = join(folder, 'app');
  mkdirSync(app);
  const manifest = {
    private: true,
    dependencies: {...Object.fromEntries(local), 'remit-cli': `file:../${filename}`},
  };
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: app,
    ...quiet,
  });
  return {app, files: files.map(({path}) => path).sort()};
}

/** Adds packages that users install themselves. */
export function linkPackages(app: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(app, 'node_modules', name);
    mkdirSync(dirname(path), {recursive: true});
    symlinkSync(join(ROOT, 'node_modules', name), path);
  }
}

/** Declarations of TypeScript, of Node and of the package, read once for all checks. */
const declarations = new Map<string, ts.SourceFile>();

/** Compiles files of the project, as `tsc -p` does; the compiler's complaints, or nothing. */
export function typeCheck(app: string, files: Record<string, string>, options: object): string {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(app, file), text);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    types: ['node'],
  };
  const config = {compilerOptions: {...compilerOptions, ...options}, files: Object.keys(files)};
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, app);
  const host = ts.createCompilerHost(parsed.options);
  const format = {...host, getCurrentDirectory: () => app};
  const read = host.getSourceFile.bind(host);
  host.getCurrentDirectory = () => app;
  host.getSourceFile = (path, how, ...rest) => {
    if (!path.endsWith('.d.ts')) return read(path, how, ...rest);
    const key = `${path} ${JSON.stringify(how)}`;
    const file = declarations.get(key) ?? read(path, how, ...rest);
    if (file !== undefined) declarations.set(key, file);
    return file;
  };
  const program = ts.createProgram(parsed.fileNames, parsed.options, host);
  return ts.formatDiagnostics([...parsed.errors, ...ts.getPreEmitDiagnostics(program)], format);
}
