import assert from 'node:assert/strict';
import {Service} from './service.ts';
import {STATEMENTS} from './statements.ts';
import {offered, openTarget, targetName, type Need} from './target.ts';

type Check = (at: Service) => Promise<void>;

const byId = new Map(STATEMENTS.map((statement) => [statement.id, statement]));
const tested = new Set<string>();
const notRun = new Map<string, readonly Need[]>();
let service: Service | undefined;

/**
 * The test of a statement. What it needs beyond the documented interface is said here; where the service does not offer
 * that, it is counted as not run.
 */
export function verify(id: string, ...rest: [...needs: Need[], check: Check]): void {
  const check = rest.at(-1) as Check;
  const needs = rest.slice(0, -1) as Need[];
  const statement = byId.get(id);
  assert.ok(statement, `there is no statement ${id}: see test/conformance/statements.ts`);
  assert.ok(statement.unseen === undefined, `${id} has both a test and a reason to have none`);
  assert.ok(!tested.has(id), `${id} has two tests`);
  tested.add(id);
  if (needs.some((need) => !offered.has(need))) notRun.set(id, needs);
  else it(`${statement.section} › ${statement.text}`, () => check(service!));
}

export const openService = async (): Promise<void> => {
  service = new Service(await openTarget());
};
export const closeService = (): Promise<void> | undefined => service?.target.close();

/** Statements without a test, and duplicate ids. */
export function gaps(): string[] {
  const missing = STATEMENTS.filter(({id, unseen}) => unseen === undefined && !tested.has(id));
  const ids = STATEMENTS.map(({id}) => id);
  return [
    ...missing.map(({id, section, text}) => `${id} has neither a test nor a reason: ${section} › ${text}`),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} stands twice`),
  ];
}

/** What was covered, in words. */
export function summary(failed: number): string {
  const count = (of: (statement: (typeof STATEMENTS)[number]) => boolean) => {
    const all = STATEMENTS.filter(of);
    const seen = all.filter(({unseen}) => unseen === undefined);
    const ran = seen.filter(({id}) => !notRun.has(id)).length;
    return (
      `${all.length} statements, ${seen.length} with a test (${ran} ran here, ${seen.length - ran} not), ` +
      `${all.length - seen.length} with a reason why not`
    );
  };
  const isAssumed = ({id}: {id: string}) => id.startsWith('assumed.');
  const lacking = [...notRun].map(([id, needs]) => `    not run, it needs ${needs.join(' and ')}: ${id}`);
  return [
    `Conformance of ${targetName}, ${failed} failed:`,
    `  the interface document: ${count((statement) => !isAssumed(statement))}`,
    `  assumptions: ${count(isAssumed)}`,
    ...lacking,
  ].join('\n');
}
