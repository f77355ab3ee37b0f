import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {amountText} from '../../src/batch/input/amounts.ts';
import {maskDigits} from '../../src/batch/input/issues.ts';
import {checkReference, deriveBatchId, foldReference} from '../../src/batch/model/identity.ts';
import {decimalOf} from '../../src/batch/workbook/decimal.ts';
import {readFormat} from '../../src/batch/workbook/number-format.ts';
import {amountOfBody, amountOfRecord} from '../../src/cli/guard/amount-read.ts';
import {ungroup} from '../../src/cli/guard/guard.ts';
import {moneyTrace} from '../../src/cli/guard/money-trace.ts';
import {readAnswer, readHttpDate, readRetryAfter} from '../../src/client/answers/answer.ts';
import {redirectTo} from '../../src/client/answers/service-error.ts';
import {isUsableId} from '../../src/client/answers/readable.ts';
import {idText, isId} from '../../src/contract/ids.ts';
import {exactJson, readJsonExactly} from '../../src/json/exact.ts';
import {lossesIn} from '../../src/json/losses.ts';
import {minorUnitsIn, parseMajor, parseMinor} from '../../src/money/amount.ts';
import {csvCell, currencyPath} from '../../src/output/records/csv.ts';
import {dayInNewYork, majorOf, plainValue} from '../../src/output/records/view.ts';
import {relativeTime} from '../../src/output/text/times.ts';
import {cutTo} from '../../src/output/text/width.ts';
import {wrapLines} from '../../src/output/text/wrap.ts';
import {cleanLine, isPrintable, strippedLines} from '../../src/sanitize/harmful.ts';
import {Sanitizer} from '../../src/sanitize/sanitizer.ts';
import {fromUnit} from '../../src/service/units.ts';
import {shellWord} from '../../src/shell-word.ts';
import {quoteFormula} from '../../src/spreadsheet.ts';
import {parseHeaderLine} from '../../src/webhooks/delivery/header-lines.ts';
import {diagnose} from '../../src/webhooks/verify/diagnosis.ts';
import {parseEvent} from '../../src/webhooks/verify/event.ts';
import {verifyWebhook} from '../../src/webhooks/verify/signature.ts';

const sanitizer = new Sanitizer({secrets: ['test_0123456789abcdef0123']});
const learned = new Sanitizer();
learned.learn({account_number: '000123456789'});
const many = new Sanitizer();
many.learn({
  account_number: Array.from({length: 500}, (_, n) => `${n}${'1'.repeat(60 - (n % 40))}`.slice(0, 64)),
});
const answered = (body: string, headers: Record<string, string> = {}) =>
  readAnswer({status: 200, headers, body: Buffer.from(body)}, 0);
const recordAt = (field: string) => (text: string) => amountOfRecord({id: 'x', [field]: text}, 'x');

/** Every function that reads text which a service, a file or a sender of webhooks chooses. */
const READERS: Record<string, (text: string) => unknown> = {
  'sanitizer, line': (text) => sanitizer.line(text),
  'sanitizer, words': (text) => sanitizer.words(text),
  'sanitizer, token': (text) => sanitizer.token(text),
  'sanitizer, layout': (text) => sanitizer.layout(text),
  'sanitizer, exact': (text) => sanitizer.exact(text),
  'sanitizer, value of a message': (text) => sanitizer.value({message: text}),
  'sanitizer, value of a number': (text) =>
    sanitizer.value({account_number: text, number: text, card: text}, 'line'),
  'sanitizer, value of an id': (text) => sanitizer.value({id: text, payee_id: text}),
  'sanitizer, name of a field': (text) => sanitizer.value({[text]: 1}),
  'sanitizer, learned numbers': (text) => learned.words(text),
  'sanitizer, learning': (text) => {
    const own = new Sanitizer();
    own.learn({account_number: text, secret: `9${text.slice(0, 40)}1234`, iban: `${text.slice(0, 60)}1234`});
    return [own.words(text), own.value({note: text})];
  },
  'sanitizer, many learned numbers': (text) => many.words(text),
  'sanitizer, table': (text) => sanitizer.laidOut(text, [{trace_number: text}]),
  'one line': cleanLine,
  'several lines': strippedLines,
  printable: isPrintable,
  'JSON, a string': (text) => readJsonExactly(JSON.stringify(text)),
  'JSON, a number': (text) => readable(() => exactJson(readJsonExactly(text))),
  'JSON, losses': (text) => lossesIn(JSON.stringify([text])),
  'JSON, losses of a number': (text) => (/^[0-9]+$/.test(text) ? lossesIn(`1${text}.${text}1`) : undefined),
  'an answer': (text) => answered(text),
  'an answer with its type': (text) => answered('<', {'content-type': text}),
  'Retry-After': (text) => readRetryAfter({'retry-after': text, date: text}, 0),
  date: readHttpDate,
  'an error': (text) =>
    readAnswer({status: 400, headers: {}, body: Buffer.from(JSON.stringify({message: text, code: text}))}, 0),
  redirect: (text) => redirectTo({status: 302, json: undefined, location: text}, sanitizer),
  id: (text) => [isId(text, 'any'), isUsableId(text, sanitizer), idText(text)],
  'guard, amount': recordAt('amount_in_minor_units'),
  'guard, old amount': recordAt('amount_in_cents'),
  'guard, other field': recordAt('memo'),
  'guard, traces': (text) => moneyTrace({note: text, list: [text]}, {strict: true}),
  'guard, body': (text) => amountOfBody({note: text}),
  'guard, typed': ungroup,
  'minor units': minorUnitsIn,
  'unit, major': (text) => fromUnit(text, 'major', 'USD'),
  'unit, seconds': (text) => fromUnit(text, 'seconds', undefined),
  'amount in major units': (text) => readable(() => parseMajor(text, 'USD', 'undeclared')),
  'amount in minor units': (text) => readable(() => parseMinor(text)),
  'shown money': (text) => majorOf(text, text),
  'shown value': plainValue,
  'shown day': dayInNewYork,
  'shown time': (text) => relativeTime(text, 0),
  'CSV cell': csvCell,
  'CSV path': currencyPath,
  'cut to a width': (text) => cutTo(text, 40),
  'wrapped lines': (text) => wrapLines(text, 80),
  'wrapped hint': (text) => wrapLines(`Hint: ${text}`, 80),
  'word of a shell': shellWord,
  'cell of a sheet': quoteFormula,
  'number of a sheet': decimalOf,
  'format of a sheet': (text) => readFormat(200, text),
  'batch, amount': (text) =>
    amountText({cells: [text], line: 1, row: 1}, {at: {amount: 0}, headers: []} as never),
  'batch, reference': (text) => [checkReference(text), foldReference(text)],
  'batch, id': (text) => deriveBatchId(text, 'abcdefghi'),
  'batch, masked cell': maskDigits,
  'webhook, header line': (text) => readable(() => parseHeaderLine(`a: ${text}`)),
  'webhook, signature': (text) =>
    verifyWebhook({
      secrets: ['whsec_abc'],
      body: Buffer.from('x'),
      headers: {'x-webhook-signature': text, 'x-webhook-timestamp': text},
    }),
  'webhook, diagnosis': (text) =>
    diagnose({
      body: Buffer.from(text),
      headers: {'x-webhook-signature': text},
      secrets: ['whsec_abcdefgh'],
    }),
  'webhook, event': (text) => parseEvent(Buffer.from(JSON.stringify({type: text, data: {payout_id: text}}))),
};

function readable(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined; // a refusal
  }
}

/** A repeated text and an end that no pattern expects: a pattern that can divide the text in many ways tries all of them. */
const TEXTS: Record<string, string> = {
  digits: '1',
  zeros: '0',
  'grouped digits': '12 ',
  'digits and dashes': '1-',
  'digits and points': '1.',
  'digits and commas': '1,',
  letters: 'a',
  capitals: 'A',
  'letters and digits': 'A1',
  spaces: ' ',
  tabs: '\t',
  'spaces and letters': 'a ',
  dashes: '-',
  underscores: '_',
  points: '.',
  'equals signs': '=',
  colons: ':',
  slashes: '/',
  braces: '{',
  brackets: '[',
  parentheses: '(',
  quotes: '"',
  'quoted names': '"account_number": ',
  'broken strings': '"account_number": "\\',
  'names of numbers': 'account number ',
  'names in a query': 'token=',
  keys: 'test_a',
  secrets: 'whsec_',
  dots: '…',
  'line breaks': '\n',
  'carriage returns': '\r\n',
  'bytes order marks': '\ufeff',
  semicolons: 'a;',
  'question marks': '?',
  commands: 'remit a ',
  settings: 'A=b ',
  times: '2026-11-24T00:00:00Z',
  ids: '0192a000-0000-7000-8000-000000000001',
};

const SIZES = [15_000, 60_000];
/** These grow to a million characters. */
const LONGEST = new Set(['digits']);

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const {user, system} = process.cpuUsage(before);
  return (user + system) / 1000;
};

describe('text that others choose', function () {
  this.timeout(600_000);
  for (const [name, read] of Object.entries(READERS))
    it(`is read in time that grows with its length only: ${name}`, () => {
      const slow: string[] = [];
      for (const [text, part] of Object.entries(TEXTS)) {
        let before: number | undefined;
        for (const size of LONGEST.has(text) ? [...SIZES, 1_000_000] : SIZES) {
          const whole = `${part.repeat(Math.ceil(size / part.length))}\u0001`;
          // Four (or 16) times the text takes as many times as long; the square of that if the time grows with its square.
          const limit = before === undefined ? Infinity : (size > 500_000 ? 50 : 9) * before + 150;
          // A collection of garbage may fall into one measurement; a reader that is slow is slow each time.
          let ms = cpuMs(() => read(whole));
          for (let again = 0; again < 2 && ms > limit; again++)
            ms = Math.min(
              ms,
              cpuMs(() => read(whole)),
            );
          const isSlow = ms > limit;
          if (isSlow) slow.push(`${text}: ${before} ms, then ${ms} ms for ${size} characters`);
          if (isSlow) break;
          before = ms;
        }
      }
      assert.deepEqual(slow, []);
    });
});
