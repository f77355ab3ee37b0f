// Writes the files that are made from the contract and the sandbox's control calls: docs/reference/openapi.json, operations.md,
// control.md, service.schema.json and output.schema.json; commands.md from the help of the commands; and library.md from the declarations.
// Tests compare them with what the sources give, so that they are never stale. Needs `node --import ./bin/typescript.mjs`.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {root} from './commands.mjs';

/** `[path, text]` of each generated file. */
export async function generatedFiles() {
  const [
    {sandboxOpenApi},
    {operationsPage},
    {controlPage},
    {serviceSchema},
    {format},
    {commandsPage},
    {outputsDocument},
  ] = await Promise.all([
    import('../src/sandbox/control/openapi.ts'),
    import('../src/contract/openapi/operations-page.ts'),
    import('../src/sandbox/control/page.ts'),
    import('../src/service/file/schema.ts'),
    import('prettier'),
    import('../src/cli/help/reference.ts'),
    import('../src/cli/help/outputs/published.ts'),
  ]);
  const style = JSON.parse(readFileSync(join(root, '.prettierrc.json'), 'utf8'));
  const json = (value) => format(JSON.stringify(value), {...style, parser: 'json'});
  return [
    [
      'docs/reference/openapi.json',
      linePerEntry(sandboxOpenApi(), ['paths', 'components', 'components.schemas']),
    ],
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/control.md', controlPage()],
    ['docs/reference/service.schema.json', await json(serviceSchema())],
    ['docs/reference/output.schema.json', linePerEntry(outputsDocument(), ['commands', '$defs'])],
    ['docs/reference/commands.md', await commandsPage(await config())],
  ];
}

/**
 * Half the size of indented JSON, which is a tenth of the package: a line for each entry of the objects at these paths. A
 * change still shows in the line of its command or schema.
 */
function linePerEntry(document, open) {
  const lines = (object, at, indent) =>
    `{\n${Object.entries(object)
      .map(([name, value]) => {
        const path = at === '' ? name : `${at}.${name}`;
        const text = open.includes(path) ? lines(value, path, `${indent}  `) : JSON.stringify(value);
        return `${indent}  ${JSON.stringify(name)}: ${text}`;
      })
      .join(',\n')}\n${indent}}`;
  return `${lines(document, '', '')}\n`;
}

/** oclif's view of the commands, from the sources. */
async function config() {
  const [{COMMANDS}, {appOf}] = await Promise.all([
    import('./source-commands.js'),
    import('../src/cli/core/start.ts'),
  ]);
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  pjson.oclif.commands = {strategy: 'explicit', target: './bin/source-commands.js', identifier: 'COMMANDS'};
  return appOf({root, pjson, commands: COMMANDS, fromSource: true}).config();
}

/** The page of the library's declarations. Emitting them takes seconds: a test that has a build reads those. */
async function libraryFile() {
  const [{declarations}, {ENTRIES}, {libraryPage}, {allOperations}] = await Promise.all([
    import('./declarations.mjs'),
    import('./library.mjs'),
    import('./library-page.mjs'),
    import('../src/contract/operations/operations.ts'),
  ]);
  const texts = declarations(Object.values(ENTRIES));
  return ['docs/reference/library.md', libraryPage((path) => texts.get(path), allOperations())];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [path, text] of [...(await generatedFiles()), await libraryFile()]) {
    writeFileSync(join(root, path), text);
    process.stderr.write(`wrote ${path}\n`);
  }
