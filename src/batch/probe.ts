import {judgeAnswer, judgeFailure} from './answers.ts';
import {bucketOf} from './outcome.ts';
import {outcomeOf, type RunContext, wordsOf} from './run-context.ts';

const PROBE_TRIES = 5;

/**
 * Asks whether the service still remembers our keys, before money moves by them: the row staged longest ago that
 * is still within the horizon is replayed without approval and must come back with the id under which it was staged. Anything else stops the run.
 * Returns true when the release may go on.
 */
export async function probe(context: RunContext): Promise<boolean> {
  for (;;) {
    context.flush();
    const row = context.journal.oldestStaged(context.clock.now() - context.settings.horizonMs);
    if (row?.outcome?.id == null) return true; // nothing is staged, so nothing will be released by replay
    const {id} = row.outcome;
    const before = bucketOf(row.outcome.state);
    let words = '';
    let next = false;
    for (let tries = 1; tries <= PROBE_TRIES && !next; tries++) {
      const end = await context.exchange(context.wire.create(row, false));
      words = wordsOf(end);
      const verdict =
        'answer' in end
          ? judgeAnswer({answer: end.answer, row, kind: context.settings.kind, phase: 'stage', stagedId: id})
          : judgeFailure(end.failure);
      if (context.stop !== undefined) return false;
      if (verdict.is === 'settled') {
        const answer = 'answer' in end ? end.answer : undefined;
        if (verdict.state === 'rejected') break; // it would not refuse a record that it remembers
        if (verdict.id !== null && verdict.id !== id) {
          context.settle(row, before, outcomeOf(row, {state: row.outcome.state, orphan: verdict.id}));
          context.stopFor(
            verdict.stop ?? 'key-forgotten',
            `the service has forgotten the key of row ${row.n} (${row.reference}) and made a second record; no money was moved by it`,
          );
          return false;
        }
        if (verdict.state === 'staged' || verdict.state === 'held') return true;
        context.settle(
          row,
          before,
          outcomeOf(row, {state: verdict.state, id, status: verdict.status}, answer),
        );
        if (verdict.state === 'accepted') return true; // the same record, released by somebody else
        next = true; // canceled meanwhile: it proves nothing about the others
      } else if (verdict.is === 'not-sent' && verdict.then !== 'gate') break;
      else
        await context.clock.sleep(context.backoff(tries, verdict.is !== 'processing' && verdict.throttled));
    }
    if (next) continue;
    context.stopFor('probe', `the probe before the release failed: ${words}`);
    return false;
  }
}
