import {readFile} from 'node:fs/promises';
import type {Plugin} from 'esbuild';

/** Another text in place of one that stands in a source file, exactly once. */
export interface Patch {
  /** As `src/batch/…`. */
  file: string;
  text: string;
  becomes: string;
}

/** What is large or slow for the sake of speed, made small: a batch of forty rows then does all that a large one does. */
export const SMALL_STEPS: readonly Patch[] = [
  {file: 'src/batch/row-source.ts', text: 'LEAST_ROWS = 16', becomes: 'LEAST_ROWS = 8'},
  {file: 'src/batch/batch-run.ts', text: 'FLUSH_EVERY_MS = 250', becomes: 'FLUSH_EVERY_MS = 7'},
  {file: 'src/batch/batch-run.ts', text: 'STATUS_EVERY_MS = 1000', becomes: 'STATUS_EVERY_MS = 15'},
];

/** Builds with the patches; a text that is not there stops the build, so that no patch is lost unnoticed. */
export function patching(patches: readonly Patch[]): Plugin {
  return {
    name: 'patching',
    setup(plugin) {
      plugin.onLoad({filter: /[/\\]src[/\\].*\.ts$/}, async ({path}) => {
        const file = path.replaceAll('\\', '/');
        const due = patches.filter((patch) => file.endsWith(`/${patch.file}`));
        if (due.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const {text, becomes} of due) {
          if (contents.split(text).length !== 2) throw new Error(`${file} does not hold, once: ${text}`);
          contents = contents.replace(text, () => becomes);
        }
        return {contents, loader: 'ts'};
      });
    },
  };
}
