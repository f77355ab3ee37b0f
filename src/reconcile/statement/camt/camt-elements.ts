import type {LineText} from '../../model/line.ts';

/** The texts of one element, such as an entry, with their paths; attributes are paths that end with `@NAME`. */
export class CamtElement {
  readonly leaves: LineText[] = [];

  add(path: string, text: string): void {
    this.leaves.push({path, text});
  }

  /** The first text at a path. */
  at(path: string): string | undefined {
    return this.leaves.find((leaf) => leaf.path === path)?.text;
  }

  /** The first text at one of several paths. */
  first(...paths: readonly string[]): string | undefined {
    for (const path of paths) {
      const text = this.at(path);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}
