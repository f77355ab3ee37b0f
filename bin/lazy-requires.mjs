// Modules are required when they are first used, not when the file that names them loads. Works on what tsc and esbuild
// write for an import: one line of a known form, `const path_1 = require("node:path");`.
import {readFileSync} from 'node:fs';

const CORE = /node_modules[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/;
const REQUIRE =
  /^(?:const|var) (\w+) = ((?:__importDefault\(|__importStar\(|\$import\()?require\((?:"[^"]+"|'[^']+')\)\)?);$/gm;
/** What a package's first file passes on: `exports.Args = __importStar(require("./args"));`. */
const PASSED_ON = /^exports\.(\w+) = (__importStar\(require\("[^"]+"\)\));$/gm;

/** oclif's Command throws on a failure of stdout outside every catch, and has Node make its stream. Our Sink handles them. */
export const STDOUT_LISTENER = /^process\.stdout\.on\('error', [^]*?^\}\);$/m;

/** esbuild plugin for the files of @oclif/core. */
export function lazyRequires(filter = CORE) {
  return {
    name: 'lazy-requires',
    setup(plugin) {
      // The version is all that it reads of its own manifest.
      plugin.onLoad({filter: /@oclif[\\/]core[\\/]package\.json$/}, ({path}) => {
        const {name, version} = JSON.parse(readFileSync(path, 'utf8'));
        return {contents: JSON.stringify({name, version}), loader: 'json'};
      });
      plugin.onLoad({filter}, ({path}) => ({contents: makeLazy(readFileSync(path, 'utf8')), loader: 'js'}));
    },
  };
}

/** `pattern`: which of the imports; a name that occurs as a word in a text would be replaced there as well. */
export function makeLazy(source, pattern = /^/) {
  const names = [];
  const declared = source.replace(REQUIRE, (line, name, expression) => {
    if (!pattern.test(name)) return line;
    names.push(name);
    return `let __held_${name}; const __get_${name} = () => (__held_${name} ??= ${expression});`;
  });
  const started = declared
    .replace(PASSED_ON, 'Object.defineProperty(exports, "$1", {enumerable: true, get: () => $2});')
    .replace(/^checkNodeVersion\(\);$/m, '') // 5 ms of semver; the launcher looks itself
    .replace(STDOUT_LISTENER, '');
  return names.reduce((text, name) => readThrough(text, name), started);
}

/**
 * Replaces every use of a name. Names that the bundler made, such as `import_fit`, occur nowhere else, so that not one
 * of them may be left; a name of a package may also be a word of a text, which begins after a quote, a dash or a slash.
 */
function readThrough(text, name) {
  const isMade = name.startsWith('import_');
  const before = isMade ? `[\\w$]` : `[\\w$'"\`/-]|(?<!\\.\\.)\\.`;
  return text.replace(new RegExp(`(?<!${before})${name}(?![\\w$])`, 'g'), `(__get_${name}())`);
}
