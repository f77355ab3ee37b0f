#!/usr/bin/env node
// Runs remit from its TypeScript sources: `node bin/dev.js payouts list`.
import {readFileSync} from 'node:fs';
import './typescript.mjs';
import {root} from './commands.mjs';

const {COMMANDS} = await import('./source-commands.js');
const {start} = await import('../src/cli/core/start.ts');
process.stdout.removeAllListeners('error'); // of oclif's Command; the build leaves it out
const pjson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
pjson.oclif.commands = {strategy: 'explicit', target: './bin/source-commands.js', identifier: 'COMMANDS'};
const {exitCode} = await start(process.argv.slice(2), {root, pjson, commands: COMMANDS, fromSource: true});
process.exit(exitCode);
