import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {diagnose} from '../../../src/webhooks/verify/diagnosis.ts';
import {signWebhook, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';

const SECRET = 'whsec_c2VjcmV0IGluIGJhc2U2NA==';
const TS = '1770000000';
const JSON_BODY = '{"id":"e1","data":{"name":"Zoë","n":1}}';

interface Case {
  body?: string | Buffer;
  signature: string;
  secrets?: string | string[];
  timestamp?: string;
}

const hmac = (key: string | Buffer, text: string | Buffer) => createHmac('sha256', key).update(text).digest();

function codes({body = JSON_BODY, signature, secrets = SECRET, timestamp = TS}: Case): string[] {
  const headers = {'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp};
  const given = {body: Buffer.from(body as string), headers, secrets};
  assert.equal(
    verifyWebhook({...given, nowMs: Number(TS) * 1000}).ok,
    false,
    'a diagnosis is for what does not verify',
  );
  return diagnose(given).map(({code}) => code);
}
const signed = (body: string | Buffer, secret: string | Buffer = SECRET) => signWebhook(secret, TS, body);

describe('diagnosis of a mismatch', () => {
  it('finds what happened to the body', () => {
    for (const [code, sent, arrived] of [
      ['body.final_newline_removed', JSON_BODY, `${JSON_BODY}\n`],
      ['body.final_newline_added', `${JSON_BODY}\n`, JSON_BODY],
      ['body.lf', '{\n"a":1\n}', '{\r\n"a":1\r\n}'],
      ['body.crlf', '{\r\n"a":1\r\n}', '{\n"a":1\n}'],
      ['body.bom_removed', JSON_BODY, `\ufeff${JSON_BODY}`],
      ['body.bom_added', `\ufeff${JSON_BODY}`, JSON_BODY],
      ['body.compact_json', JSON_BODY, '{"id": "e1", "data": {"name": "Zoë", "n": 1}}'],
      ['body.indented_json', JSON.stringify(JSON.parse(JSON_BODY), undefined, 2), JSON_BODY],
      ['body.spaced_json', '{"id": "e1", "data": {"name": "Zo\\u00eb", "n": 1}}', JSON_BODY],
      ['body.ascii_json', JSON_BODY.replace('ë', '\\u00eb'), JSON_BODY],
      ['body.utf8_replaced', 'a\ufffdb', Buffer.from([0x61, 0xff, 0x62])],
      ['body.double_encoded', Buffer.from('ZoÃ«'), 'Zoë'],
      ['body.empty', '', JSON_BODY],
      ['body.trimmed', JSON_BODY, `  ${JSON_BODY}`],
      ['body.base64', JSON_BODY, `${Buffer.from(JSON_BODY).toString('base64')}\n`],
    ] as const)
      assert.deepEqual(codes({body: arrived, signature: signed(sent)}), [code]);
  });

  it('finds a body in base64 with wrapped lines, and in base64url', () => {
    const sent = Buffer.from(JSON.stringify({id: 'e1', note: '?>~ü'.repeat(40)}));
    const wrapped = (end: string) => `${sent.toString('base64').replace(/(.{76})/g, `$1${end}`)}${end}`;
    const url = sent.toString('base64url');
    assert.match(url, /[_-]/);
    for (const arrived of [wrapped('\n'), wrapped('\r\n'), url, `${url}\n`])
      assert.deepEqual(codes({body: arrived, signature: signed(sent)}), ['body.base64']);
  });

  it('finds what is wrong with the secret', () => {
    const signature = signed(JSON_BODY);
    assert.deepEqual(codes({signature, secrets: `${SECRET}\n`}), ['secret.trimmed']);
    assert.deepEqual(codes({signature, secrets: `"${SECRET}"`}), ['secret.unquoted']);
    assert.deepEqual(codes({signature: signed(JSON_BODY, `${SECRET}\n`)}), ['secret.final_newline']);
    assert.deepEqual(codes({signature, secrets: SECRET.slice(6)}), ['secret.prefix_added']);
    for (const line of [`WEBHOOK_SECRET=${SECRET}`, `export SECRET_1="${SECRET}"`])
      assert.deepEqual(codes({signature, secrets: line}), ['secret.name_removed']);
    assert.deepEqual(codes({signature: signed(JSON_BODY, SECRET.slice(6))}), ['secret.prefix_removed']);
    assert.deepEqual(codes({signature: signed(JSON_BODY, Buffer.from('secret in base64'))}), [
      'secret.base64',
    ]);
    const hex = Buffer.from('secret in hex').toString('hex');
    assert.deepEqual(codes({signature: signed(JSON_BODY, Buffer.from(hex, 'hex')), secrets: hex}), [
      'secret.hex',
    ]);
  });

  it('finds another composition of the signed text, and another notation of the signature', () => {
    const text = (before: string) => hmac(SECRET, before + JSON_BODY);
    assert.deepEqual(codes({signature: text('').toString('hex')}), ['text.body_only']);
    assert.deepEqual(codes({signature: text(`${TS},`).toString('hex')}), ['text.comma']);
    assert.deepEqual(codes({signature: text(`${TS}000.`).toString('hex')}), ['timestamp.milliseconds']);
    const ms = {timestamp: `${TS}000`, signature: text(`${TS}.`).toString('hex')};
    assert.deepEqual(codes(ms), ['timestamp.seconds']);
    const right = text(`${TS}.`);
    assert.deepEqual(codes({signature: right.toString('base64')}), ['signature.base64']);
    assert.deepEqual(codes({signature: right.toString('hex').toUpperCase()}), ['signature.uppercase']);
    assert.deepEqual(codes({signature: `sha256=${right.toString('hex')}`}), ['signature.prefix']);
  });

  it('names the fewest changes that match, and the secret', () => {
    const signature = signed(JSON_BODY).toUpperCase();
    assert.deepEqual(codes({signature, body: `${JSON_BODY}\n`}), [
      'body.final_newline_removed+signature.uppercase',
    ]);
    const headers = {'x-webhook-signature': signed(JSON_BODY), 'x-webhook-timestamp': TS};
    const found = diagnose({body: Buffer.from(`${JSON_BODY}\n`), headers, secrets: ['another', SECRET]});
    assert.deepEqual(found, [
      {code: 'body.final_newline_removed', matchesIf: 'the final newline is removed', secret: 1},
    ]);
  });

  it('explains nothing about a forgery', () => {
    assert.deepEqual(codes({signature: signed(JSON_BODY, 'forged')}), []);
    assert.deepEqual(codes({signature: 'rubbish'}), []);
    assert.deepEqual(codes({signature: ''}), []);
  });
});
