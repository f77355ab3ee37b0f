import {RemitCommand} from '../cli/core/command.ts';
import {Flags} from '@oclif/core';
import {RemitError} from '../errors.ts';

export default class Demo extends RemitCommand {
  static override summary = 'Run the main job from start to finish on a temporary sandbox';
  static override description =
    'Plans a CSV with errors, pays its valid rows while answers get lost, is killed halfway, resumes, and shows that running the same file again sends nothing. Needs no network, no account and no key.';
  static override examples = ['<%= config.bin %> demo'];
  static override flags = {
    rows: Flags.string({helpValue: 'N', default: '300', description: 'number of rows in the sample file'}),
  };

  async run() {
    const {flags} = await this.parse(Demo);
    const rows = /^\d{1,6}$/.test(flags.rows) ? Number(flags.rows) : 0;
    if (rows < 10 || rows > 100_000)
      throw new RemitError('USAGE', `--rows ${flags.rows} is not a whole number from 10 to 100000`);
    const {runDemo} = await import('../cli/demo/demo.ts');
    const result = await runDemo(this.openLocal(), {rows});
    this.openLocal().out.text('');
    return result;
  }
}
