// esbuild plugin: modules of @oclif/core are required when they are first used, not when the file that names them loads.
// Its files are tsc output, so each import is one line of a known form: const path_1 = require("node:path");
import {readFileSync} from 'node:fs';

const CORE = /node_modules[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/;
const REQUIRE = /^(?:const|var) (\w+) = ((?:__importDefault\(|__importStar\()?require\("[^"]+"\)\)?);$/gm;

export function lazyRequires(filter = CORE) {
  return {
    name: 'lazy-requires',
    setup(plugin) {
      plugin.onLoad({filter}, ({path}) => ({contents: makeLazy(readFileSync(path, 'utf8')), loader: 'js'}));
    },
  };
}

/** Exported for its test. */
export function makeLazy(source) {
  const names = [];
  const declared = source.replace(REQUIRE, (_, name, expression) => {
    names.push(name);
    return `let __held_${name}; const __get_${name} = () => (__held_${name} ??= ${expression});`;
  });
  const started = declared.replace(/^checkNodeVersion\(\);$/m, ''); // 5 ms of semver; the launcher looks itself
  return names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w$.'"\`/-])${name}(?![\\w$])`, 'g'), `(__get_${name}())`),
    started,
  );
}
