import assert from 'node:assert/strict';
import ts from 'typescript';
import {tableRows} from '../../repo/markdown.ts';
import {readText, sourcesUnder} from '../../repo/tree.ts';

/** Files whose refusals are about control calls and pages of the sandbox, which the service does not have. */
const CONTROL =
  /^src\/sandbox\/(control\/.+|page\/.+|world\/advance|statement\/.+|entities\/checkpoints|transfers\/simulate|transfers\/simulate-accounts|api\/loopback-guard|outcomes\/fault-answer|base\/service-error|webhooks\/delivery-desk)\.ts$/;

/**
 * Where each refusal of the simulated service comes from: a section of the interface document, or `row N` of
 * docs/internals/assumptions.md. The key is the message as it stands in the source, without its quotes.
 */
const ORIGINS: Readonly<Record<string, string>> = {
  // request-body.ts, routing.ts, server.ts
  'content-type must be application/json': 'row 68',
  "text === '' ? 'a JSON body is expected; send {} if there is nothing to set' : 'the body is not valid JSON'":
    'row 68',
  'contains half of a surrogate pair, which is not a character': 'row 68',
  'the body ended early': 'row 68',
  'the body is larger than ${BODY_BYTES_MAX} bytes': 'row 68',
  "late ? 'the request took too long' : 'this is not HTTP'": 'row 68',
  "methods.length === 0 ? `no operation at ${path}` : `no operation ${request.method} at ${path}; it takes ${methods.join(', ')}`":
    'row 67',
  "key === '' ? 'the header x-api-key is missing' : 'the API key was not issued by this sandbox'":
    'Authentication',
  'the request cannot be read': 'row 68',
  'this key is read-only': 'row 61',
  'must be a UUID': 'row 59',
  'occurs more than once': 'row 66',
  'must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters': 'row 45',
  "${where}${first?.issue ?? 'is invalid'}${rest}": 'Errors', // what the schemas of the contract say
  // paging.ts
  'is not a cursor of this list': 'row 39',
  'differs from the order in which the cursor was given': 'row 39',
  // parties and payment methods
  'no ${kind} ${id}': 'Errors',
  'no payment method ${id} of this ${kind}': 'Errors',
  "only a verified payment method can be the default; this one is ${text(row, 'status')}": 'row 17',
  '${field}: ${issue}': 'row 76',
  'is not valid; check each digit': 'row 76',
  'is not a valid card number': 'row 76',
  'the card has expired': 'row 76',
  "is not a supported market; supported: ${markets.join(', ')}": 'row 86',
  'is not supported in this market; only ${market.currency} is': 'row 86',
  'the default payment method cannot be deleted; make another verified one the default first': 'row 17',
  // payins and payouts
  'subaccount_id is available only to test entities': 'row 55',
  'is not a supported country and currency combination; only USD in US is': 'row 53',
  'the ${PARTY[kind]} has no default payment method; name one': 'row 72',
  'the payment method is ${status}; a verified one is needed': 'row 72',
  "${rail} is not supported by the payment method (it has ${supported.join(', ') || 'none'})": 'Errors',
  'is above the maximum of ${rail}: ${most} minor units': 'row 64',
  'is in the past; today is ${today} in New York': 'row 57',
  'is after the year 2199': 'row 57',
  'the ${kind} exists and is approved, but initiation could not be started; repeat the same create': 'Errors',
  'approval.refusal': 'row 3', // the reasons are below
  'a ${transfer.kind} that is ${transfer.status} cannot be ${wanted}': 'row 3',
  'the idempotency key belongs to ${kind} ${id}, which is ${status}; use a new key': 'Errors',
  'the idempotency key belongs to ${kind} ${id}, which was created with another body': 'row 47',
  'approval failed (scenario approval_fails_207)': 'Payin and payout',
  'approval failed: the payment method was deleted': 'row 73',
  'approval failed: the payment method is not verified': 'row 73',
  'approval failed: insufficient funds in ${where}': 'row 56',
  // moves and subaccounts
  'no move ${id}': 'Errors',
  'a move that is ${move.status} cannot be approved': 'Move',
  'the move cannot be approved: insufficient funds in subaccount ${move.sourceId}':
    'Decided without a number',
  'is not that of both subaccounts, ${currency}': 'row 79',
  'no subaccount ${id}': 'row 71',
  'is not supported; only USD is': 'row 80',
  'is more than the sandbox can hold': 'row 74',
  // treasury
  'no treasury account ${id}': 'Errors',
  "no balance of treasury account ${text(row, 'id')} was reported yet": 'row 20',
  "is not that of treasury account ${text(account, 'id')}": 'Errors',
  "is one of ${ACCOUNT_TRANSFER_RAILS.join(', ')}": 'row 25',
  'insufficient funds in treasury account ${sourceId}': 'Decided without a number',
  'no account transfer ${params.account_transfer_id}': 'Errors',
  'an account transfer that is ${transfer.status} cannot be approved': 'row 26',
  'inbound credits can be simulated only for test entities': 'Treasury',
  'is not a SIM account; only SIM accounts accept simulated credits': 'Treasury',
  'is not that of the account, ${currency}': 'row 29',
  // webhook endpoints
  'no webhook endpoint ${id}': 'row 30',
  'must not contain U+0000': 'row 81',
  'must not contain a user name or password': 'row 81',
  'must not contain a fragment': 'row 81',
  "${JSON.stringify(unknown)} is not an event type; the types are ${EVENT_TYPE_NAMES.join(', ')}": 'row 81',
  // trouble of the sandbox itself
  'the sandbox cannot use its store; its log has details': 'row 85',
  'an internal error of the sandbox (a bug in remit); its log has details': 'row 85',
};

/** Sections of the interface document that refusals come from. */
const SECTIONS = ['Authentication', 'Errors', 'Move', 'Payin and payout', 'Treasury'];

/** How refusals are made: which argument is the message. */
const MAKERS: Readonly<Record<string, number>> = {
  invalid: 1,
  incomplete: 1,
  ServiceError: 1,
  errorBody: 1,
  refused: 2,
};

/** The source of a message on one line, without the quotes around all of it. */
const messageText = (node: ts.Node): string =>
  (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
    ? node.getText().slice(1, -1)
    : node.getText()
  )
    .replace(/\s+/g, ' ')
    .trim();

/** A name of a maker, or the property; a file without one need not be parsed. */
const MAKES = new RegExp(`\\b(?:${[...Object.keys(MAKERS), 'refusal'].join('|')})\\b`);

/** Every refusal of a source file, and every `{refusal: …}`. */
function refusalsIn(path: string, text: string): string[] {
  if (!MAKES.test(text)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const at = MAKERS[node.expression.getText()];
      const message = at === undefined ? undefined : node.arguments?.[at];
      if (message !== undefined) found.push(messageText(message));
    }
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'refusal')
      found.push(messageText(node.initializer));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  // Passed on by a maker itself.
  return found.filter((message) => !['issue', 'message', 'error.message'].includes(message));
}

describe('refusals of the sandbox', () => {
  const refusals = new Set(
    sourcesUnder('src/sandbox').flatMap(({path, text}) => (CONTROL.test(path) ? [] : refusalsIn(path, text))),
  );

  it('each come from the interface document, or from a row of the assumptions', () => {
    assert.ok(refusals.size > 50, `${refusals.size} refusals`);
    const unexplained = [...refusals].filter((message) => !Object.hasOwn(ORIGINS, message));
    assert.deepEqual(
      unexplained,
      [],
      'the sandbox invents something: add a row to docs/internals/assumptions.md and name it in ORIGINS',
    );
  });

  it('are all still there', () => {
    assert.deepEqual(
      Object.keys(ORIGINS).filter((message) => !refusals.has(message)),
      [],
    );
  });

  it('name rows and sections that exist', () => {
    const page = readText('docs/internals/assumptions.md');
    const rows = tableRows(page).map(({cells}) => `row ${cells[0]}`);
    const known = [...rows, ...SECTIONS, ...[...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!)];
    assert.deepEqual(
      Object.entries(ORIGINS).filter(([, origin]) => !known.includes(origin)),
      [],
    );
  });
});
