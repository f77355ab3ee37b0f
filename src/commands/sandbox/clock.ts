import {Args} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {readClock} from '../../cli/sandbox/flag-values.ts';
import {clockView} from '../../output/views/sandbox.ts';
import type {ClockStatus} from '../../sandbox/base/shown-records.ts';

export default class SandboxClockCommand extends RemitCommand {
  static override summary = 'Show the clock of the running sandbox, or change its mode';
  static override description =
    'The clock continues from the same time. A frozen clock moves only with `sandbox advance`.';
  static override args = {
    mode: Args.string({description: 'real, frozen, or accelerated:60 (one minute per second)'}),
  };
  static override examples = [
    '<%= config.bin %> sandbox clock',
    '<%= config.bin %> sandbox clock accelerated:3600',
    '<%= config.bin %> sandbox clock frozen',
  ];

  async run() {
    const {args} = await this.parse(SandboxClockCommand);
    const local = this.openLocal();
    const clock = await (args.mode === undefined
      ? callControl<ClockStatus>(local, 'GET', '/sandbox/clock')
      : callControl<ClockStatus>(local, 'POST', '/sandbox/clock', readClock('the clock', args.mode)));
    local.out.record(clock, clockView);
    return clock;
  }
}
