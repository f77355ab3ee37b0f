// The commands as oclif's explicit strategy wants them, loaded from TypeScript (with bin/typescript.mjs). Development and tests only.
import {commandFiles} from './commands.mjs';

export const COMMANDS = Object.fromEntries(
  await Promise.all(commandFiles().map(async ([id, file]) => [id, (await import(`../${file}`)).default])),
);
