import type {Output} from '../../../output/output.ts';
import {shellWord} from '../../../shell-word.ts';
import type {Shown} from '../../help/outputs/forms.ts';
import type * as schemas from '../../help/outputs/sandbox.ts';

/** The first line with `-o ndjson`: everything that a program needs to use and control the sandbox. */
export type Ready = Shown<typeof schemas.Ready>;

/**
 * Reports that the sandbox answers, and what to type next.
 * @param facts.page a link that opens the page once, for people
 * @param facts.known whether `remit sandbox` commands of this state folder use this one
 * @param facts.service path of its service file, which commands without its profile need too
 */
export function showReady(
  out: Output,
  ready: Ready,
  facts: {
    profile: string | undefined;
    known: boolean;
    service: string | undefined;
    page?: string | undefined;
  },
): void {
  // Keys issued by this sandbox: the user who started it needs them.
  for (const name of ['test_key', 'live_key', 'control_token'] as const)
    out.sanitizer.allow(ready[name], name);
  if (out.settings.format === 'ndjson') {
    void out.event(ready);
    return;
  }
  if (!out.forPeople) {
    void out.result(ready); // now: a program that waits for it has to use the sandbox while it runs
    return;
  }
  const {paint} = out;
  out.text(`Sandbox ready at ${paint('bold', ready.base_url)}`);
  out.text(`  test key  ${ready.test_key}`);
  out.text(`  live key  ${ready.live_key}`);
  if (facts.page !== undefined) out.text(`  page      ${facts.page}`);
  if (facts.profile !== undefined) out.text(`  profile   ${facts.profile} (the test key)`);
  const service = facts.service === undefined ? '' : ` REMIT_SERVICE_FILE=${shellWord(facts.service)}`;
  const list = `REMIT_BASE_URL=${ready.base_url} REMIT_API_KEY=${ready.test_key}${service} remit payees list`;
  if (!facts.known) {
    out.note('Another sandbox is running, and sandbox commands use that one by default. To use this one:');
    out.hint(list);
    out.hint(`REMIT_BASE_URL=${ready.base_url} remit sandbox stop`);
    return;
  }
  const named = facts.profile === undefined ? '' : ` -p ${facts.profile}`;
  out.hint(`remit sandbox seed --payees 3${named}`);
  out.hint(facts.profile === undefined ? list : `remit payees list${named}`);
}
