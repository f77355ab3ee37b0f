import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/command.ts';
import {parseDuration} from '../../cli/durations.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {readTime} from '../../cli/sandbox/start-options.ts';
import {RemitError} from '../../errors.ts';

export default class SandboxAdvance extends RemitCommand {
  static override summary = "Move the running sandbox's clock forward; what falls due happens";
  static override args = {by: Args.string({description: 'how far, such as 90s, 15m or 24h'})};
  static override examples = [
    '<%= config.bin %> sandbox advance 24h',
    '<%= config.bin %> sandbox advance --to 2026-12-24T14:00:00Z',
  ];
  static override flags = {
    to: Flags.string({helpValue: 'TIME', description: 'ISO 8601, with time zone'}),
  };

  async run() {
    const {args, flags} = await this.parse(SandboxAdvance);
    const local = this.openLocal();
    if ((args.by === undefined) === (flags.to === undefined))
      throw new RemitError('USAGE', 'how far? A length of time, or --to a moment', {
        hint: 'remit sandbox advance 24h',
      });
    const body =
      args.by === undefined
        ? {to: new Date(readTime('--to', flags.to!)).toISOString()}
        : {ms: parseDuration(args.by, 'advance')};
    const moved = (await callControl(local, 'POST', '/sandbox/advance', body)) as {
      now: string;
      fired: number;
    }; // our own server's
    local.out.text(`It is now ${moved.now}; ${moved.fired} things happened on the way.`);
    return moved;
  }
}
