import type {Config} from '@oclif/core';
import type {Runtime} from './runtime.ts';

export function showHelp(config: Config, id: string, runtime: Runtime): void {
  runtime.stdout.write(`help for ${id} ${config.bin}\n`);
}
