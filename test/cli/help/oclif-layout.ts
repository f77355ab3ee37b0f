import type {Config} from '@oclif/core';
import {HelpContent} from '../../../src/cli/help/help-content.ts';

/** The same help without styles, laid out by oclif itself. */
export async function oclifHelp(config: Config, id: string, maxWidth: number): Promise<string> {
  const help = new HelpContent(config, {maxWidth, stripAnsi: true});
  const command = config.findCommand(id);
  if (command === undefined) await help.showHelp([id]);
  else await help.showCommandHelp(command);
  return `${help.text.replaceAll(/\n{3,}/g, '\n\n').trim()}\n`;
}
