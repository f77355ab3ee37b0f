import {RemitError} from '../../errors.ts';
import {DEFAULT_SETTINGS, FORMATS, type Format, type OutputSettings} from '../../output/formats.ts';
import {readFields} from '../../output/records/select.ts';
import type {ProjectFile} from '../../profiles/project-file.ts';

export interface OutputFlags {
  output?: string | undefined;
  json?: boolean | undefined;
  fields?: string | undefined;
  query?: string | undefined;
  quiet?: boolean | undefined;
  'no-color'?: boolean | undefined;
}

/** Output settings: the flag, otherwise the project file, otherwise the default. */
export function outputSettings(flags: OutputFlags, project: ProjectFile | undefined): OutputSettings {
  const fields = flags.fields ?? project?.fields;
  return {
    format: flags.json
      ? 'json'
      : checkFormat(flags.output ?? project?.output ?? DEFAULT_SETTINGS.format, project),
    fields: fields === undefined ? [] : readFields(fields),
    query: flags.query,
    quiet: flags.quiet ?? false,
    colour: flags['no-color'] || project?.color === false ? 'never' : 'auto',
  };
}

function checkFormat(text: string, project: ProjectFile | undefined): Format {
  const format = FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  const where = project?.output === text ? ` in ${project.path}` : '';
  throw new RemitError('USAGE', `unknown output format ${JSON.stringify(text)}${where}`, {
    hint: `one of: ${FORMATS.join(', ')}`,
  });
}

/**
 * The output format requested by the arguments, for an error that occurs before they are parsed. Never throws: for an
 * invalid format, the error is reported as text.
 */
export function guessSettings(argv: readonly string[], project: ProjectFile | undefined): OutputSettings {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const flags: OutputFlags = {json: words.includes('--json'), 'no-color': words.includes('--no-color')};
  for (const [index, word] of words.entries()) {
    const value =
      /^(?:--output=|-o=?)(.+)$/.exec(word)?.[1] ??
      (/^(--output|-o)$/.test(word) ? words[index + 1] : undefined);
    if (value !== undefined) flags.output = value;
  }
  try {
    return outputSettings(flags, project);
  } catch {
    return DEFAULT_SETTINGS;
  }
}
