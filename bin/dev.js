#!/usr/bin/env -S node --import tsx
// Runs remit from its TypeScript sources: `node --import tsx bin/dev.js payouts list`.
import {readFileSync} from 'node:fs';
import {root} from './commands.mjs';
import {COMMANDS} from './source-commands.js';
import {start} from '../src/cli/core/start.ts';

const pjson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
pjson.oclif.commands = {strategy: 'explicit', target: './bin/source-commands.js', identifier: 'COMMANDS'};
const {exitCode} = await start(process.argv.slice(2), {root, pjson, commands: COMMANDS, fromSource: true});
process.exit(exitCode);
