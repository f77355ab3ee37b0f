import {counted} from '../../phrases.ts';
import {Args, Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import type {LocalContext} from '../../cli/core/context.ts';
import {parseDuration} from '../../cli/input/durations.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {sandboxCommand} from '../../cli/sandbox/target.ts';
import {readTime} from '../../cli/sandbox/flag-values.ts';
import {RemitError} from '../../errors.ts';
import type {SandboxStatus} from '../../sandbox/control/sandbox-interface.ts';
import type {Advanced} from '../../sandbox/base/shown-records.ts';

const WAYS = ['to', 'to-next', 'until-idle'] as const;
const others = (way: string) => WAYS.filter((other) => other !== way);

export default class SandboxAdvance extends RemitCommand {
  static override summary = 'Move the sandbox clock forward and run everything due by then';
  static override args = {by: Args.string({description: 'how far, such as 90s, 15m, 24h or 2d'})};
  static override examples = [
    '<%= config.bin %> sandbox advance 2d',
    '<%= config.bin %> sandbox advance --to 2026-12-24T14:00:00Z',
    '<%= config.bin %> sandbox advance --until-idle',
  ];
  static override flags = {
    to: Flags.string({
      helpValue: 'TIME',
      exclusive: others('to'),
      description: 'advance to this time (ISO 8601 with time zone)',
    }),
    'to-next': Flags.boolean({exclusive: others('to-next'), description: 'advance to the next event'}),
    'until-idle': Flags.boolean({
      exclusive: others('until-idle'),
      description: 'advance until nothing is scheduled',
    }),
  };

  async run() {
    const {args, flags} = await this.parse(SandboxAdvance);
    const local = this.openLocal();
    const way = readWay(args.by, flags);
    const before = await statusOf(local);
    if ('to' in way && Date.parse(way.to) < Date.parse(before.clock.now))
      throw new RemitError(
        'USAGE',
        `--to ${way.to} is in the past: the sandbox clock is at ${before.clock.now} and never goes back`,
        {hint: sandboxCommand(local, 'checkpoint', 'list')},
      );
    const moved = await sayingSo(local, () => callControl<Advanced>(local, 'POST', '/sandbox/advance', way));
    local.out.text(`It is now ${moved.now}. ${happenedText(moved)}.${restOf(local, moved)}`);
    return moved;
  }
}

/** An advance that takes longer than this prints what it waits for. */
const PATIENCE_MS = 2000;

/** Makes the call, and reports what it waits for if it takes long. */
async function sayingSo<Answer>(local: LocalContext, call: () => Promise<Answer>): Promise<Answer> {
  const done = new AbortController();
  local.clock.sleep(PATIENCE_MS, done.signal).then(
    () => done.signal.aborted || local.out.progress('Waiting for slow webhook receivers, 15 s at most'),
    () => undefined, // it did not take long
  );
  try {
    return await call();
  } finally {
    done.abort();
    local.out.endProgress();
  }
}

/** `3 scheduled steps happened; 4 webhook attempts were made and 2 deliveries ended`. */
function happenedText({fired, attempts, deliveries}: Advanced): string {
  const steps = `${counted(fired, 'scheduled step')} happened`;
  const made = attempts === 1 ? '1 webhook attempt was made' : `${attempts} webhook attempts were made`;
  const ended = deliveries === 1 ? '1 delivery ended' : `${deliveries} deliveries ended`;
  return `${steps}; ${made} and ${ended}`;
}

function restOf(local: LocalContext, {idle, deliveries_under_way: waiting = 0}: Advanced): string {
  if (waiting > 0)
    return ` ${waiting} more ${waiting === 1 ? 'delivery is' : 'deliveries are'} still waiting for slow receivers: ${sandboxCommand(local, 'deliveries', 'list')}`;
  return idle === false ? ' More steps are due in over ten years.' : '';
}

const statusOf = async (local: LocalContext) =>
  await callControl<SandboxStatus>(local, 'GET', '/sandbox/status');

interface Ways {
  to?: string | undefined;
  'to-next': boolean;
  'until-idle': boolean;
}

/** How far, in the form of the control call. @throws {RemitError} USAGE unless exactly one of the flags is given. */
function readWay(
  by: string | undefined,
  flags: Ways,
): {ms: number} | {until: 'next' | 'idle'} | {to: string} {
  const way = WAYS.find((name) => flags[name] !== undefined && flags[name] !== false);
  if ((by === undefined) === (way === undefined))
    throw new RemitError(
      'USAGE',
      'the time to advance is missing: give a duration, --to TIME, --to-next or --until-idle',
      {
        hint: 'remit sandbox advance 24h',
      },
    );
  if (by !== undefined) return {ms: parseDuration(by, 'advance')};
  if (flags.to !== undefined) return {to: new Date(readTime('--to', flags.to)).toISOString()};
  return {until: way === 'to-next' ? 'next' : 'idle'};
}
