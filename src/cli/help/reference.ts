import type {Config} from '@oclif/core';
import {helpText} from './help.ts';
import {PAGES} from './pages.ts';

/** Help as it is written into a file: 80 columns, no colour. */
const onPaper = {stdout: {isTTY: true, columns: 80}, env: {NO_COLOR: '1'}} as const;

const commandsOf = (config: Config) =>
  config.commands
    .filter(({hidden}) => hidden !== true)
    .map(({id}) => ({id, words: id.replaceAll(':', ' ')}))
    .sort((a, b) => (a.words < b.words ? -1 : 1));

const anchor = (words: string): string => words.replaceAll(' ', '-');

/** docs/reference/commands.md: the help of every command, and the pages of `remit help`. */
export async function commandsPage(config: Config): Promise<string> {
  const commands = commandsOf(config);
  const parts = [
    '# Commands\n',
    '<!-- Generated from the help of the commands by `npm run generate`. -->\n',
    'The help of every command, as `remit help COMMAND` prints it. `remit commands --json` prints the same as data.\n',
    `${commands.map(({words}) => `- [${words}](#remit-${anchor(words)})`).join('\n')}\n`,
  ];
  for (const {id, words} of commands)
    parts.push(`## remit ${words}\n`, fenced(await helpText(config, id, onPaper)));
  for (const [name, {summary}] of pages())
    parts.push(`## remit help ${name}\n`, `${summary}\n`, fenced(await helpText(config, name, onPaper)));
  return parts.join('\n');
}

const fenced = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;

const pages = () => Object.entries(PAGES);

/** A manual page: its file name, such as `remit-payouts.1`, and its text for man. */
export type ManPage = readonly [name: string, text: string];

/** `remit(1)`, with the pages of `remit help`, and one manual page for each topic and each single command. */
export async function manPageTexts(config: Config, version: string): Promise<ManPage[]> {
  const first = new Map<string, string[]>();
  for (const {id, words} of commandsOf(config)) {
    const [topic = ''] = words.split(' ');
    first.set(topic, [...(first.get(topic) ?? []), id]);
  }
  const summaries = new Map(
    [...first].map(([topic]) => [
      topic,
      config.findTopic(topic)?.description ?? config.findCommand(topic)?.summary ?? '',
    ]),
  );
  const root = [
    head('remit', String(config.pjson.description), version),
    section('COMMAND LINE', await helpText(config, '', onPaper)),
    ...(await Promise.all(
      pages().map(async ([name]) => section(name, withoutTitle(await helpText(config, name, onPaper)))),
    )),
    `.SH SEE ALSO\n${[...first.keys()].map((topic) => `.BR remit\\-${roff(topic)} (1)`).join(',\n')}\n`,
  ];
  const others = [...first].map(async ([topic, ids]): Promise<ManPage> => {
    const texts = await Promise.all(
      ids.map(async (id) => section(`remit ${id.replaceAll(':', ' ')}`, await helpText(config, id, onPaper))),
    );
    return [
      `remit-${topic}.1`,
      `${head(`remit-${topic}`, summaries.get(topic) ?? '', version)}${texts.join('')}.SH SEE ALSO\n.BR remit (1)\n`,
    ];
  });
  return [['remit.1', root.join('')], ...(await Promise.all(others))];
}

const withoutTitle = (text: string): string => text.slice(text.indexOf('\n') + 1);

const head = (name: string, summary: string, version: string): string =>
  `.TH ${roff(name.toUpperCase())} 1 "" "remit ${version}"\n.SH NAME\n${roff(name)} \\- ${roff(summary)}\n`;

/** Help is laid out already: it is shown as it is. */
const section = (title: string, text: string): string =>
  `.SH ${roff(title.toUpperCase())}\n.nf\n${text.trimEnd().split('\n').map(roff).join('\n')}\n.fi\n`;

/** Backslashes and hyphens are commands to roff, as is a dot or an apostrophe that begins a line; the rest is ASCII. */
const roff = (line: string): string =>
  line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replace(
      /[^ -~]/gu,
      (found) => `\\[u${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
