import {ServiceDraft} from './draft.ts';
import type {Finding} from './finding.ts';
import type {ServiceSurvey} from './survey.ts';

/** Enough for differences that hide others, several times over. */
const MOST_PASSES = 6;

/**
 * Repeats the checks with what they have found out, until they find nothing new: a difference often hides the next one,
 * such as a renamed id all records. Returns the last survey with the findings of all.
 */
export async function untilNothingNew(
  first: ServiceSurvey,
  check: (survey: ServiceSurvey) => Promise<void>,
): Promise<ServiceSurvey> {
  const certain: Finding[] = [];
  let survey = first;
  for (let pass = 1; ; pass += 1) {
    const before = survey.draft.file;
    await check(survey);
    if (survey.draft.file === before || pass === MOST_PASSES) break;
    certain.push(...survey.found.filter(isCertain));
    survey = survey.next();
  }
  survey.found = withoutContradictions(merged(certain, survey.found), survey);
  return survey;
}

const isCertain = ({verdict, sure}: Finding): boolean => verdict === 'differs' && sure === true;

/** The last findings, in their order, with the certain differences of earlier passes in place of what holds by now. */
function merged(certain: readonly Finding[], last: readonly Finding[]): Finding[] {
  const open = [...last.filter(isCertain).reverse(), ...certain.toReversed()].reverse().filter(isFirst);
  const found: Finding[] = [];
  for (const finding of last) {
    const own = open.filter(({check}) => check === finding.check);
    found.push(...own.filter((one) => !found.includes(one)));
    if (isCertain(finding) || (own.length > 0 && finding.verdict !== 'differs')) continue;
    found.push(finding);
  }
  return [...open.filter((one) => !found.includes(one)), ...found];
}

const isFirst = (finding: Finding, at: number, all: readonly Finding[]): boolean =>
  all.findIndex(
    ({check, write}) => check === finding.check && JSON.stringify(write) === JSON.stringify(finding.write),
  ) === at;

/** Every proposal must be valid in the final file, also together with those before it. */
function withoutContradictions(found: readonly Finding[], {draft}: ServiceSurvey): Finding[] {
  const all = new ServiceDraft(draft.file);
  return found.map((finding) => {
    const {write, sure, evidence} = finding;
    if (write === undefined || sure === true) return finding;
    const problem = draft.problemWith(write) ?? all.problemWith(write);
    if (problem !== undefined)
      return {...finding, write: undefined, evidence: `${evidence}; not proposed: ${problem}`};
    all.add(write);
    return finding;
  });
}
