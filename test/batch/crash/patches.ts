import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Plugin} from 'esbuild';
import {ROOT, sourcesUnder} from '../../repo/tree.ts';

/** Another text in place of one that occurs exactly once in all sources, so that moving code to another file keeps it. */
export interface Patch {
  text: string;
  becomes: string;
}

/** What is large or slow for the sake of speed, made small: a batch of forty rows then does all that a large one does. */
export const SMALL_STEPS: readonly Patch[] = [
  {text: 'LEAST_ROWS = 16', becomes: 'LEAST_ROWS = 8'},
  {text: 'FLUSH_EVERY_MS = 250', becomes: 'FLUSH_EVERY_MS = 7'},
  {text: 'STATUS_EVERY_MS = 1000', becomes: 'STATUS_EVERY_MS = 15'},
];

/** The source file that holds the text, as `src/batch/…`. Throws unless it occurs exactly once in all of them. */
export function fileWith(text: string): string {
  const holding = readSources().flatMap(({path, text: source}) =>
    Array.from({length: source.split(text).length - 1}, () => path),
  );
  if (holding.length === 1) return holding[0]!;
  throw new Error(`must occur once in src, not ${holding.length} times (${holding.join(', ')}): ${text}`);
}

let sources: ReturnType<typeof sourcesUnder> | undefined;
const readSources = () => (sources ??= sourcesUnder('src'));

/** Builds with the patches; a text that is not found stops the build, so that no patch is lost unnoticed. */
export function patching(patches: readonly Patch[]): Plugin {
  return {
    name: 'patching',
    setup(plugin) {
      const placed = patches.map((patch) => ({...patch, file: join(ROOT, fileWith(patch.text))}));
      plugin.onLoad({filter: /[/\\]src[/\\].*\.ts$/}, async ({path}) => {
        const due = placed.filter(({file}) => file === path);
        if (due.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const {text, becomes} of due) contents = contents.replace(text, () => becomes);
        return {contents, loader: 'ts'};
      });
    },
  };
}
