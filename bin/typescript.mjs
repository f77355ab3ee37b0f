// Runs TypeScript on every Node: `node --import ./bin/typescript.mjs file.ts`, for tests, benchmarks and bin/dev.js.
import * as module from 'node:module';
import {load} from './typescript-hooks.mjs';

process.setSourceMapsEnabled(true);
if (module.registerHooks) module.registerHooks({load});
else module.register('./typescript-hooks.mjs', import.meta.url);
