import type * as z from 'zod';
import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import {fieldsOf, table, typeText} from '../../contract/operations-page.ts';
import type {JsonSchema} from '../../contract/openapi-schemas.ts';
import {CONTROL_ANSWERS, type ControlAnswer} from './answers.ts';
import {CONTROL_BODIES, CONTROL_QUERIES} from './bodies.ts';
import {CONTROL_ERRORS, TOKEN_HEADER, controlCalls, type ControlCall} from './calls.ts';
import {controlSchema} from './openapi.ts';
import {DeliveryEffect, RequestEffect} from '../outcomes/fault-schema.ts';

/** docs/reference/control.md: every control call of the sandbox with its fields and answers. */
export function controlPage(): string {
  return `${[
    INTRODUCTION,
    table(
      ['Call', 'Method and path'],
      controlCalls().map(([id, {method, path}]) => [
        `[${id}](#${id.toLowerCase()})`,
        `\`${method} ${path}\``,
      ]),
    ),
    ...controlCalls().map(([id, call]) => callText(id, call)),
    effectsText(),
  ].join('\n\n')}\n`;
}

const INTRODUCTION = `# Control calls of the sandbox

Written by \`npm run generate\` from \`src/sandbox/control/calls.ts\`; do not edit. The same facts for machines are in
[openapi.json](openapi.json), and in \`/openapi.json\` of each sandbox, under the tag \`sandboxControl\`.

The \`remit sandbox\` commands are made of these calls, and test harnesses in any language may use them. They are part of the sandbox: the
service has nothing like them. [The guide](../guides/sandbox.md#control-calls) shows a session with curl.

- Address: \`control_url\` of the ready line, which is the address of the sandbox and \`/sandbox\`.
- Header \`${TOKEN_HEADER}\`: the control token, \`control_token\` of the ready line. API keys do not help.
- Header \`content-type: application/json\` on every POST, with a JSON body; \`{}\` where a call takes no fields.
- The Host must be the sandbox's own (\`127.0.0.1\`, \`localhost\` or \`[::1]\`, with its port), and so must the Origin, where there is one.
- A body with an unknown field is refused. Errors have the body of the service's errors: \`{error_code, message, details?}\`.
- Any call can fail with ${CONTROL_ERRORS.map((code) => `${SERVICE_ERRORS[code].status} \`${code}\``).join(', ')}.`;

function callText(id: string, {summary, method, path, body, query, ok, fails = []}: ControlCall): string {
  const [status, answer] = ok;
  const errors = fails.map((code) => `${SERVICE_ERRORS[code].status} \`${code}\``);
  return [
    `## ${id}`,
    `${summary}.`,
    `\`${method} ${path}\`${errors.length === 0 ? '' : `, which can also fail with ${errors.join(', ')}`}`,
    ...(query === undefined ? [] : fieldTables(CONTROL_QUERIES[query], 'Query')),
    ...(body === undefined || body === 'Nothing' ? [] : fieldTables(CONTROL_BODIES[body], 'Field')),
    ...(answer === null ? [`Answers ${status} without a body.`] : answerText(id, status, answer)),
  ].join('\n\n');
}

/** Fields of an answer, at the first call that has it. */
function answerText(id: string, status: number, answer: ControlAnswer): string[] {
  const [first] = controlCalls().find(([, {ok}]) => ok[1] === answer)!; // this call itself at the latest
  return first === id
    ? [`Answers ${status}:`, ...fieldTables(CONTROL_ANSWERS[answer], 'Answer')]
    : [`Answers ${status} with the fields of [${first}](#${first.toLowerCase()}).`];
}

/** What a fault rule can do. */
const effectsText = (): string =>
  [
    '## Effects of fault rules',
    'The `effect` of a rule is an object with one of these kinds and its fields.',
    table(
      ['Kind', 'Fields', 'Effect'],
      [...RequestEffect.options, ...DeliveryEffect.options].map((effect) => {
        const {kind, ...others} = controlSchema(effect, 'input').properties ?? {};
        return [
          `\`${String(kind?.['const'])}\``,
          Object.keys(others)
            .map((name) => `\`${name}\``)
            .join(', '),
          String(kind?.['description']),
        ];
      }),
    ),
  ].join('\n\n');

/** One table for each form of a union. */
function fieldTables(schema: z.ZodType, heading: 'Field' | 'Query' | 'Answer'): string[] {
  const json = controlSchema(schema, heading === 'Field' ? 'input' : 'output');
  const forms = json.anyOf ?? json.oneOf ?? [json];
  const tables = forms.map((form) =>
    table(
      [heading, 'Type', heading === 'Answer' ? 'Always there' : 'Required', 'Meaning'],
      rowsOf(form).map(({name, field, required}) => [
        `\`${name}\``,
        kindText(field) ?? typeText(field, {}),
        heading === 'Query' ? 'no' : required,
        typeof field['description'] === 'string' ? field['description'] : '',
      ]),
    ),
  );
  return tables.flatMap((one, at) => (at === 0 ? [one] : ['or', one]));
}

/** Fields, with those of the records in a list. */
const rowsOf = (schema: JsonSchema, prefix = ''): ReturnType<typeof fieldsOf> =>
  fieldsOf(schema, {}, prefix).flatMap((fact) => {
    const {items} = fact.field;
    return items?.properties === undefined ? [fact] : [fact, ...rowsOf(items, `${fact.name}[].`)];
  });

/** No cell holds more names than this. */
const MOST_NAMES = 12;

/** Types that the page of the service's operations does not have. */
function kindText(field: JsonSchema): string | undefined {
  const {oneOf, items, enum: names, format} = field;
  if (items?.properties !== undefined) return 'list';
  if (oneOf !== undefined) return '[effect](#effects-of-fault-rules)';
  if (names !== undefined && names.length > MOST_NAMES) return '[operation](operations.md)';
  return format === 'starts_with' ? 'string' : undefined;
}
