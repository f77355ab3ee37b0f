/** One line that is typed, with what the page says it prints. */
export interface Step {
  line: number;
  command: string;
  /** Undefined where the page shows nothing of it. */
  expected: string | undefined;
}

/** `**Paid:**` at this point of the page: the references, sorted. */
export interface PaidClaim {
  line: number;
  paid: string[];
}

export interface Section {
  title: string;
  /** Files to be saved, by name. */
  files: Map<string, string>;
  steps: (Step | PaidClaim)[];
}

/**
 * Reads a page whose `console` blocks are to be typed: `$ ` begins a command, what follows is what it prints. A `csv` block
 * is a file, named by the last words in code marks before it. The first section is what stands before the first `## `.
 */
export function readConsolePage(text: string): Section[] {
  const sections: Section[] = [{title: 'the beginning', files: new Map(), steps: []}];
  let language: string | undefined;
  let name = '';
  text.split('\n').forEach((content, index) => {
    const line = index + 1;
    const {files, steps} = sections.at(-1)!;
    const fence = /^```(\w*)/.exec(content);
    if (fence) language = language === undefined ? fence[1] : undefined;
    else if (language === 'csv') files.set(name, `${files.get(name) ?? ''}${content}\n`);
    else if (language === 'console') readLine(steps, line, content);
    else if (language === undefined) {
      name = /.*`([\w.]+\.csv)`/.exec(content)?.[1] ?? name;
      if (content.startsWith('## ')) sections.push({title: content.slice(3), files: new Map(), steps: []});
      if (content.startsWith('**Paid:**')) steps.push({line, paid: referencesIn(content)});
    }
  });
  return sections;
}

/** `**Paid:** A-1, A-2, each once; …` or `**Paid:** nothing.` */
const referencesIn = (content: string): string[] =>
  /^\*\*Paid:\*\* (.+), each once/.exec(content)?.[1]!.split(', ').sort() ?? [];

function readLine(steps: Section['steps'], line: number, content: string): void {
  if (content.startsWith('$ ')) steps.push({line, command: content.slice(2), expected: undefined});
  else {
    const last = steps.at(-1) as Step; // in a console block a command comes first
    last.expected = last.expected === undefined ? content : `${last.expected}\n${content}`;
  }
}

const TIME = /\bin \d+\.\d s\b/g;

/**
 * Whether a command printed what the page shows. `…` stands for anything, lines may be broken elsewhere, and one time that
 * something took is as good as another; all else is the same, character by character.
 */
export function printsAsShown(printed: string, shown: string): boolean {
  const plain = (text: string) => text.replace(TIME, 'in T s').replace(/\s+/g, ' ').trim();
  const pattern = plain(shown)
    .split('…')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(plain(printed));
}
