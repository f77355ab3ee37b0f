/** What the operator does who follows the `next` of a summary. */
export type Step =
  | {
      is: 'run';
      verb: 'run' | 'resume' | 'release' | 'retry';
      rows: readonly string[];
      accepts: readonly string[];
    }
  | {is: 'cancel'}
  /** Each row in doubt is looked up, and what was found is recorded. */
  | {is: 'resolve'}
  /** It shows something to a person, who then decides. */
  | {is: 'look'};

/** The record that a printed command cancels before it goes on with the batch. */
export const canceledFirst = (next: string): string | undefined =>
  /^remit pay(?:outs|ins) cancel (\S+) .*&& /.exec(next)?.[1];

/** Reads a printed command; settings of the profile that go before it are taken as made. */
export function stepOf(next: string): Step {
  const command = next.split(' && ').at(-1)!;
  const [, topic, group, verb, , ...flags] = command.split(' ');
  if (!['payouts', 'payins'].includes(topic!) || group !== 'batch') return {is: 'look'};
  const valuesOf = (name: string) => flags.filter((_, at) => flags[at - 1] === name);
  switch (verb) {
    case 'run':
    case 'resume':
    case 'release':
    case 'retry':
      return {is: 'run', verb, rows: valuesOf('--row'), accepts: valuesOf('--accept')};
    case 'cancel':
      return {is: 'cancel'};
    case 'resolve':
      return flags[0] === '--from' ? {is: 'resolve'} : {is: 'look'};
    default:
      return {is: 'look'};
  }
}
