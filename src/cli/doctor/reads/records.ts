import {isUuid} from '../../../contract/ids.ts';
import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {allOperations, type OperationId} from '../../../contract/operations/operations.ts';
import {requestFieldsOf} from '../../../contract/origin/field-origins.ts';
import {isObject, type Json, type JsonFields} from '../../../narrow.ts';
import type {ServiceFile, Unit} from '../../../service/service-file.ts';
import {isAmountField, isTimeField} from '../../../service/units.ts';
import {toAdd} from '../survey/finding.ts';
import {isPath, shapeLeavesOf, sameName, shown} from '../survey/shapes.ts';
import {resourceOf, type Sample, type ServiceSurvey} from '../survey/survey.ts';
import {FIELD_ROWS, FIELD_WORDS, READ_FIELDS, STATUS_GUESSES, STATUS_SPELLINGS} from '../survey/words.ts';

/** Checks names, units, ids and statuses of the records of a list. */
export function checkRecords(survey: ServiceSurvey, id: OperationId, sample: Sample | undefined): void {
  const resource = resourceOf(id);
  const row = FIELD_ROWS[id] ?? FIELD_ROWS[resource];
  const check = READ_FIELDS[id] === undefined ? `fields.${resource}` : `fields.${resource} (${id})`;
  if (sample === undefined || sample.wire.length === 0)
    return survey.unknown(check, 'no record to check', {row});
  const before = survey.found.length;
  const fields = READ_FIELDS[id] ?? READ_FIELDS[resource] ?? [];
  for (const field of fields) checkField(survey, {resource, fields, field, sample, row});
  const empty = fields.filter((field) => !isPresent(sample.canonical, field));
  const words = empty.length === 0 ? '' : `; without a value: ${empty.join(', ')}`;
  if (survey.found.length === before) survey.holds(check, `all fields that remit reads${words}`, {row});
  checkIds(survey, resource, sample);
  checkStatuses(survey, resource, sample);
}

interface SampledField {
  readonly resource: string;
  /** All fields of the record that remit reads. */
  readonly fields: readonly string[];
  readonly field: string;
  readonly sample: Sample;
  readonly row: number | undefined;
}

const isPresent = (records: readonly JsonFields[], field: string): boolean =>
  records.some((record) => record[field] !== undefined && record[field] !== null);

function checkField(survey: ServiceSurvey, place: SampledField): void {
  const {resource, field, sample, row} = place;
  const check = `fields.${resource}.${field}`;
  if (isPresent(sample.canonical, field)) return checkUnit(survey, place);
  if (sample.wire.some((record) => Object.hasOwn(record, field))) return; // present, but null
  const path = otherName(place);
  if (path === undefined) {
    if (field === 'is_active') return noteFlag(survey, place);
    return noteAbsent(survey, place);
  }
  const values = sample.wire.flatMap((record) =>
    shapeLeavesOf(record).flatMap((leaf) => (leaf.path === path ? [leaf.value] : [])),
  );
  const unit = isAmountField(field)
    ? amountUnit(path, values)
    : isTimeField(field)
      ? timeUnit(values)
      : {sure: true};
  const write: ServiceFile = {
    fields: {[resource]: {[field]: path}, ...(path.includes('.') ? keptInRequests(resource, field) : {})},
    ...(unit.unit === undefined ? {} : {units: {[`${resource}.${field}`]: unit.unit}}),
  };
  const evidence = `records have ${path}${isAmountField(field) ? ` (${shown(values)})` : ''} instead of ${field}`;
  const [value] = values;
  const when = unit.sure ? undefined : `if ${JSON.stringify(value)} is in minor units (cents)`;
  const major = typeof value === 'string' ? 'major' : 'major-number';
  const fix = unit.sure
    ? undefined
    : `find out the unit; if it is the major unit (dollars), write ${JSON.stringify(major)} in place of ${JSON.stringify(unit.unit)}`;
  survey.differs(check, evidence, {row, write, sure: unit.sure, when, fix});
}

/** The place of a field within another object of a record says nothing about requests, which keep the documented name. */
const keptInRequests = (resource: string, field: string): ServiceFile['fields'] =>
  Object.fromEntries(
    allOperations()
      .filter(({id, operation}) => resourceOf(id) === resource && operation.method !== 'GET')
      .filter(({id}) => requestFieldsOf(id).includes(field))
      .map(({id}) => [id, {[field]: field}]),
  );

/** No record has the field, under any name that is known. */
function noteAbsent(survey: ServiceSurvey, {resource, field, sample, row}: SampledField): void {
  const check = `fields.${resource}.${field}`;
  if (!NEEDED.has(field)) return survey.unknown(check, `no record has it, only ${namesOf(sample)}`, {row});
  const fix = toAdd({
    fields: {[resource]: {[field]: 'name'}},
    ...(isAmountField(field) ? {units: {[`${resource}.${field}`]: 'minor'}} : {}),
  });
  survey.differs(check, `records have no ${field}, only ${namesOf(sample)}`, {row, fix});
}

/** Words for an endpoint that is active or not. */
const FLAG_WORDS = [
  ['enabled', 'disabled'],
  ['active', 'inactive'],
  ['on', 'off'],
] as const;

/** The flag of an endpoint may be a word in its state. */
function noteFlag(survey: ServiceSurvey, {field, sample, row}: SampledField): void {
  const check = 'webhooks.active';
  const evidence = `records have no ${field}, only ${namesOf(sample)}`;
  for (const name of ['state', 'status'])
    for (const record of sample.wire) {
      const word = record[name];
      if (typeof word !== 'string') continue;
      const pair = FLAG_WORDS.find((words) => words.some((one) => one === word.toLowerCase()));
      if (pair === undefined) continue;
      const inCase = (text: string) => (word === word.toUpperCase() ? text.toUpperCase() : text);
      const [on, off] = [inCase(pair[0]), inCase(pair[1])];
      const write: ServiceFile = {webhooks: {active: {field: name, on, off}}};
      return survey.differs(check, `${evidence}; ${name} is ${word}`, {
        ...{row, write, sure: false, when: `if ${off} is its other value`},
      });
    }
  survey.differs(check, evidence, {row, fix: toAdd({webhooks: {active: 'enabled'}})});
}

/** Fields without which a record cannot be used, or does not show whom it concerns. */
const NEEDED = new Set([
  ...[
    'id',
    'status',
    'amount_in_minor_units',
    'currency_code',
    'name',
    'label',
    'url',
    'payee_id',
    'payer_id',
  ],
  ...['source_subaccount_id', 'destination_subaccount_id', 'source_account_id', 'destination_account_id'],
]);

const namesOf = ({wire}: Sample): string =>
  [...new Set(wire.flatMap((record) => Object.keys(record)))].slice(0, 12).join(', ');

/** The service's name of a field: the same word in another spelling, or an alternative from `FIELD_WORDS`. */
function otherName({fields, field, sample}: SampledField): string | undefined {
  const taken = new Set(fields.filter((name) => isPresent(sample.canonical, name)));
  const leaves = sample.wire.flatMap((record) => shapeLeavesOf(record));
  const fits = leaves.filter(
    ({path, value}) => isPath(path) && !taken.has(path) && value !== null && isLike(field, value),
  );
  const spelled =
    fits.find(({path}) => sameName(path, field)) ??
    fits.find(({name}) => sameName(name, field) && !OF_OTHERS.has(field));
  if (spelled !== undefined) return spelled.path;
  const word = (FIELD_WORDS[field] ?? []).find((name) => fits.some(({path}) => sameName(path, name)));
  return word === undefined ? undefined : fits.find(({path}) => sameName(path, word))?.path;
}

/** Names that nested objects often have too. */
const OF_OTHERS = new Set(['id', 'status', 'name', 'type', 'label', 'last4']);

/** Whether a field can have this value. */
function isLike(field: string, value: Json): boolean {
  if (isAmountField(field)) return typeof value === 'number' || isDecimal(value);
  if (isTimeField(field))
    return typeof value === 'number' || (typeof value === 'string' && !Number.isNaN(Date.parse(value)));
  if (field.endsWith('metadata')) return isObject(value);
  if (field === 'event_types') return Array.isArray(value);
  if (field.startsWith('is_')) return typeof value === 'boolean';
  return typeof value === 'string';
}

const isDecimal = (value: Json): boolean => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);

interface Guess {
  readonly unit?: Unit;
  readonly sure: boolean;
}

/** The unit of an amount, judged by a decimal point or the name. `12550` alone does not show it. */
function amountUnit(path: string, values: readonly Json[]): Guess {
  const isText = values.some((value) => typeof value === 'string');
  if (values.some((value) => /\./.test(JSON.stringify(value))))
    return {unit: isText ? 'major' : 'major-number', sure: true};
  const unit = isText ? 'minor-text' : 'minor';
  return {unit, sure: /minor|cents/i.test(path)};
}

function timeUnit(values: readonly Json[]): Guess {
  const number = values.find((value) => typeof value === 'number');
  if (typeof number !== 'number') return {sure: true};
  const digits = String(Math.trunc(number)).length;
  if (digits === 10) return {unit: 'seconds', sure: true};
  return digits === 13 ? {unit: 'milliseconds', sure: true} : {sure: false};
}

/** Checks the unit of a field that has its documented name. */
function checkUnit(survey: ServiceSurvey, {resource, field, sample, row}: SampledField): void {
  const name = `${resource}.${field}`;
  const values = sample.canonical.map((record) => record[field]).filter((value) => value != null);
  const guess = isAmountField(field)
    ? ownAmountUnit(values)
    : isTimeField(field)
      ? timeUnit(values)
      : undefined;
  if (guess === undefined || (guess.unit === undefined && guess.sure)) return;
  const write: ServiceFile | undefined = guess.unit === undefined ? undefined : {units: {[name]: guess.unit}};
  survey.differs(`units.${name}`, `values such as ${shown(values)}`, {row, write, sure: guess.sure});
}

/** Whole numbers under a documented name are minor units, whether they are numbers or text. */
function ownAmountUnit(values: readonly Json[]): Guess {
  const odd = values.filter((value) => !/^"?-?\d+"?$/.test(JSON.stringify(value)));
  if (odd.length === 0) return {sure: true};
  return odd.every((value) => typeof value === 'number' || isDecimal(value))
    ? amountUnit('', odd)
    : {sure: false};
}

function checkIds(survey: ServiceSurvey, resource: string, {canonical}: Sample): void {
  const ids = canonical.flatMap((record) => (record['id'] === undefined ? [] : [record['id']]));
  const check = `ids.${resource}`;
  if (ids.length === 0) return;
  if (ids.some((id) => typeof id !== 'string'))
    survey.differs(check, `ids are not strings: ${shown(ids)}`, {row: 59});
  else if (ids.every((id) => typeof id === 'string' && isUuid(id))) survey.holds(check, 'UUIDs', {row: 59});
  else if (survey.draft.file.ids?.format === 'any')
    survey.holds(check, 'not UUIDs, which ids.format allows', {row: 59});
  else
    survey.differs(check, `ids are not UUIDs, such as ${shown(ids.slice(0, 1))}`, {
      row: 59,
      write: {ids: {format: 'any'}},
      sure: true,
    });
}

const LIFECYCLE_OF: Readonly<Record<string, JsonFields>> = {
  payouts: LIFECYCLES.payout.next,
  payins: LIFECYCLES.payin.next,
  moves: LIFECYCLES.move.next,
  accountTransfers: LIFECYCLES.accountTransfer.next,
};

function checkStatuses(survey: ServiceSurvey, resource: string, {canonical}: Sample): void {
  const known = LIFECYCLE_OF[resource];
  const words = new Set(canonical.flatMap(({status}) => (typeof status === 'string' ? [status] : [])));
  if (known === undefined || words.size === 0) return;
  const check = `statuses.${resource}`;
  const other = [...words].filter((word) => !Object.hasOwn(known, word) && !hasOtherCase(word, known));
  if (other.length === 0) survey.holds(check, `all documented: ${[...words].join(', ')}`);
  for (const word of other) {
    const spelled = STATUS_SPELLINGS[word.toLowerCase()];
    const guessed = spelled ?? STATUS_GUESSES[word.toLowerCase()];
    const meant = guessed === undefined ? undefined : inCaseOf(guessed, known);
    const write = meant === undefined ? undefined : {statuses: {[resource]: {[word]: meant}}};
    const fix =
      spelled === undefined
        ? `find out which of these it means: ${Object.keys(known).join(', ')}`
        : undefined;
    survey.differs(check, `${word} is not a documented status`, {
      ...{write, sure: spelled !== undefined, fix},
      when: meant === undefined ? undefined : `if ${word} means ${meant}`,
    });
  }
}

const hasOtherCase = (word: string, known: JsonFields): boolean => inCaseOf(word, known) !== undefined;
const inCaseOf = (word: string, known: JsonFields): string | undefined =>
  Object.keys(known).find((status) => status.toLowerCase() === word.toLowerCase());
