/** An element of a page: enough to check nesting, attributes and text, with nothing repaired. */
export interface Node {
  tag: string;
  attributes: Record<string, string>;
  children: (Node | string)[];
}

const VOID = new Set(['meta', 'br', 'img', 'link', 'input', 'hr', 'source', 'base', 'embed', 'wbr']);

/**
 * Reads a page strictly: every tag closed in order, every attribute quoted, no stray `<` or `&`. A browser forgives;
 * a page should not need that. The text of `style` is taken as it is.
 */
export function parsePage(page: string): Node {
  const root: Node = {tag: '#root', attributes: {}, children: []};
  const open = [root];
  let at = page.indexOf('\n') + 1; // behind the doctype
  while (at < page.length) {
    const parent = open.at(-1)!;
    const next = page.indexOf('<', at);
    const text = page.slice(at, next < 0 ? page.length : next);
    if (text !== '') parent.children.push(decode(text));
    if (next < 0) break;
    const tag = /^<(\/)?([a-z][a-z0-9-]*)((?:\s+[a-zA-Z][a-zA-Z0-9:-]*(?:="[^"<]*")?)*)\s*(\/)?>/.exec(
      page.slice(next),
    );
    if (tag === null) throw new Error(`a stray < at ${JSON.stringify(page.slice(next, next + 80))}`);
    const [whole, closing, name, attributes, selfClosing] = tag as unknown as [
      string,
      string?,
      string?,
      string?,
      string?,
    ];
    at = next + whole.length;
    if (closing !== undefined) {
      if (parent.tag !== name) throw new Error(`</${name}> closes <${parent.tag}>`);
      open.pop();
      continue;
    }
    const node: Node = {tag: name!, attributes: attributesOf(attributes ?? ''), children: []};
    parent.children.push(node);
    if (name === 'style') {
      const end = page.indexOf('</style>', at);
      node.children.push(page.slice(at, end));
      at = end + '</style>'.length;
    } else if (selfClosing === undefined && !VOID.has(name!)) open.push(node);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)!.tag}> is not closed`);
  return root;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([a-zA-Z][a-zA-Z0-9:-]*)(?:="([^"]*)")?/g)].map(([, name, value]) => [
      name!,
      decode(value ?? ''),
    ]),
  );
}

function decode(text: string): string {
  return text.replace(/&(#(\d+);)?/g, (_, whole: string | undefined, code: string) => {
    if (whole === undefined) throw new Error(`a stray & in ${JSON.stringify(text.slice(0, 80))}`);
    return String.fromCharCode(Number(code));
  });
}

/** All elements below one, in order. */
export function* elements(node: Node): Generator<Node> {
  for (const child of node.children) {
    if (typeof child === 'string') continue;
    yield child;
    yield* elements(child);
  }
}

export const textOf = (node: Node | string): string =>
  typeof node === 'string' ? node : node.children.map(textOf).join('');
