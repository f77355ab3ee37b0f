// Declarations of the library that need no other package. tsc's own are kept, except those of the schemas: they are
// zod's types of zod objects, so they are written out as the plain types that these infer.
import {posix} from 'node:path';
import ts from 'typescript';
import {root} from './commands.mjs';

const REGISTRY = 'contract/schemas/registry.d.ts';

/**
 * @param {string[]} entries source files, relative to the root
 * @returns {Map<string, string>} path relative to src -> text, of every file that the entries reach
 */
export function declarations(entries) {
  const program = ts.createProgram({rootNames: entries.map((file) => posix.join(posixRoot, file)), options});
  const registry = plainRegistry(program); // first: tsc prints the members of a union in the order in which it met them
  return reachable(
    (path) => (path === REGISTRY ? registry : emitted(program, path)),
    entries.map((file) => file.replace(/^src\//, '').replace(/\.ts$/, '.d.ts')),
  );
}

/** tsc's declarations of one file; of all files, most of which no declaration needs, they take three times as long. */
function emitted(program, path) {
  let text;
  const file = program.getSourceFile(`${posixRoot}/src/${path.replace(/\.d\.ts$/, '.ts')}`);
  const {diagnostics} = program.emit(file, (_, written) => (text = written), undefined, true);
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host));
  return text;
}

const posixRoot = root.replaceAll('\\', '/').replace(/\/$/, '');
const {config} = ts.readConfigFile(`${posixRoot}/tsconfig.json`, ts.sys.readFile);
const options = {
  ...ts.parseJsonConfigFileContent(config, ts.sys, posixRoot).options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  stripInternal: true,
  outDir: `${posixRoot}/src`, // nothing is written there: the texts are collected
  rootDir: `${posixRoot}/src`,
  types: ['node'],
};
const host = {getCurrentDirectory: () => root, getCanonicalFileName: (path) => path, getNewLine: () => '\n'};

const RELATIVE = /((?:from |import\()')(\.[^']+)\.ts'/g;
const BARE = /(?:from |import\()'((?!\.|node:)[^']+)'/;

/** The entries and what they import, with the endings that every TypeScript 5 and 6 resolves. */
function reachable(textOf, entries) {
  const found = new Map();
  const visit = (path) => {
    if (found.has(path)) return;
    const text = textOf(path);
    if (text === undefined) throw new Error(`no declarations were written for ${path}`);
    const code = text.replace(/^ *(\/?\*).*$/gm, '');
    const [, foreign] = BARE.exec(code) ?? [];
    if (foreign !== undefined)
      throw new Error(`${path} takes types from ${foreign}, which users do not install`);
    found.set(path, text.replace(RELATIVE, "$1$2.js'"));
    for (const [, , target] of code.matchAll(RELATIVE))
      visit(posix.join(posix.dirname(path), `${target}.d.ts`));
  };
  entries.forEach(visit);
  return found;
}

/** The registry's names and types, without its schemas. */
function plainRegistry(program) {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(`${posixRoot}/src/${REGISTRY.replace('.d.ts', '.ts')}`);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file));
  const schemas = checker.getTypeOfSymbol(exported.find(({name}) => name === 'SCHEMAS'));
  const entries = schemas.getProperties().map((schema) => {
    const [input, output] = ['_input', '_output'].map((side) => {
      const type = checker.getTypeOfSymbol(schema);
      return printed(checker, checker.getTypeOfSymbol(type.getProperty(side)), '  ');
    });
    const type = input === output ? `Same<${input}>` : `{input: ${input}; output: ${output}}`;
    return `  ${schema.name}: ${type};\n`;
  });
  return `interface Same<T> {
  input: T;
  output: T;
}
/** Of each schema: what a caller writes, and what a reader sees. */
export interface Schemas {
${entries.join('')}}
export type SchemaName = keyof Schemas;
/** What a schema accepts: a request body as a caller writes it. */
export type Input<N extends SchemaName> = Schemas[N]['input'];
/** What a schema gives back: an answer as a reader sees it. */
export type Output<N extends SchemaName> = Schemas[N]['output'];
`;
}

/** A type of data, written out with the comments of its fields. */
function printed(checker, type, indent) {
  if (type.isUnion() && type.types.some(isRecord)) {
    const parts = [...type.types].sort((a, b) => isRecord(b) - isRecord(a)); // undefined and null last
    return parts.map((part) => printed(checker, part, indent)).join(' | ');
  }
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type);
    const text = printed(checker, item, indent);
    return item.isUnion() ? `(${text})[]` : `${text}[]`;
  }
  if (!isRecord(type)) return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  const inner = `${indent}  `;
  const fields = checker.getIndexInfosOfType(type).map(({keyType, type: value}) => {
    return `${inner}[name: ${checker.typeToString(keyType)}]: ${printed(checker, value, inner)};\n`;
  });
  for (const field of type.getProperties()) {
    const comment = ts.displayPartsToString(field.getDocumentationComment(checker));
    const mark = field.flags & ts.SymbolFlags.Optional ? '?' : '';
    const value = printed(checker, checker.getTypeOfSymbol(field), inner);
    if (comment !== '') fields.push(`${inner}/** ${comment} */\n`);
    fields.push(`${inner}${field.name}${mark}: ${value};\n`);
  }
  return `{\n${fields.join('')}${indent}}`;
}

const isRecord = (type) => (type.flags & ts.TypeFlags.Object) !== 0;
