// Which packages users get with remit: those whose code is in a bundle, and those that npm installs beside it.
import {readFileSync, readdirSync} from 'node:fs';
import {join, posix} from 'node:path';
import {root} from './commands.mjs';

const FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

export const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/**
 * @param {{file: string, metafile: import('esbuild').Metafile}[]} bundles
 * @returns {{folder: string, manifest: object, bundledIn: string[]}[]} in order of their folders, relative to the root
 */
export function shippedPackages(bundles) {
  const found = new Map(installedFolders().map((folder) => [folder, new Set()]));
  for (const {file, metafile} of bundles)
    for (const folder of bundledFolders(metafile))
      found.set(folder, (found.get(folder) ?? new Set()).add(file));
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, files]) => ({folder, manifest: manifestOf(folder), bundledIn: [...files].sort()}));
}

/** Only inputs of which code was kept. */
const bundledFolders = ({outputs}) =>
  Object.values(outputs)
    .flatMap(({inputs}) => Object.entries(inputs))
    .filter(([, {bytesInOutput}]) => bytesInOutput > 0)
    .flatMap(([input]) => FOLDER.exec(input)?.[1] ?? []);

function installedFolders(from = '', found = new Set()) {
  for (const name of Object.keys(manifestOf(from).dependencies ?? {})) {
    const folder = dependencyFolder(from, name);
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    installedFolders(folder, found);
  }
  return [...found];
}

/** The folder in which Node finds a dependency of the package in `from`: its own node_modules, or one further up. */
export function dependencyFolder(from, name) {
  for (let at = from; ; at = posix.dirname(at)) {
    const folder = posix.join(at === '.' ? '' : at, 'node_modules', name);
    if (holdsPackage(folder)) return folder;
    if (at === '' || at === '.') return undefined;
  }
}

function holdsPackage(folder) {
  try {
    return manifestOf(folder).name !== undefined;
  } catch {
    return false;
  }
}

/**
 * Name, version and licence text of every package, as their licences require: packages whose texts differ only in their
 * copyright lines share one. Then the notices that stand in single files, some of which come from other projects.
 *
 * @param {ReturnType<typeof shippedPackages>} packages
 * @param {string[]} notices esbuild's collections of legal comments, one for each bundle
 */
export function licencesText(packages, notices) {
  const sharing = new Map();
  for (const {
    folder,
    manifest: {name, version, license},
  } of packages) {
    const {copyright, terms} = partsOf(licenceOf(folder));
    const same = terms.replaceAll(/\s+/g, ' ').toLowerCase();
    const found = sharing.get(same) ?? {heads: [], terms};
    sharing.set(same, found);
    found.heads.push(`${name} ${version} (${license})\n${copyright.map((line) => `  ${line}\n`).join('')}`);
  }
  const sections = [...sharing.values()].map(({heads, terms}) => `${heads.join('')}\n${terms}\n`);
  const inFiles = noticesByFile(notices).map(([file, text]) => `${file}\n\n${text}\n`);
  return [...sections, ...inFiles].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The copyright lines of a licence, and the rest of it. */
function partsOf(text) {
  const lines = text.split('\n');
  const isOfOwner = (line) => /^\s*copyright\b.*\d{4}|^\s*copyright \(c\)/i.test(line);
  return {
    copyright: lines.filter(isOfOwner).map((line) => line.trim()),
    terms: lines
      .filter((line) => !isOfOwner(line))
      .join('\n')
      .trim(),
  };
}

function licenceOf(folder) {
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(licen[cs]e|copying|notice)\b/i.test(file),
  );
  const texts = files.sort().map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(licenceInReadme(folder));
  return texts.join('\n\n');
}

function licenceInReadme(folder) {
  const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
  const text = /^#+ +licen[cs]e *\n([^]*?)(?=\n#|$(?![^]))/im.exec(readme)?.[1].trim();
  if (!text || !/copyright/i.test(text)) throw new Error(`${folder} has no licence text`);
  return text;
}

/** esbuild writes "path:\n  comment\n" blocks; a file that is in two bundles is named once. */
function noticesByFile(collections) {
  const found = new Map();
  for (const collection of collections)
    for (const [, file, comment] of collection.matchAll(/^(\S+):\n((?: {2}.*\n|\n(?= {2}))+)/gm))
      found.set(file, comment.replace(/^ {2}/gm, '').trim());
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}
