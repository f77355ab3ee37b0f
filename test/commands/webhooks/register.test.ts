import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {ListenRecord} from '../../../src/cli/webhooks/listen/record.ts';
import {RemitError} from '../../../src/errors.ts';
import {signatureHeaders} from '../../../src/webhooks/verify/signature.ts';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {answer, lost, type Script} from '../../client/transport/fake-transport.ts';
import {EndpointService} from './endpoint-service.ts';
import {body, Listening} from './listening.ts';

const PUBLIC = 'https://hooks.example.com/remit?a=1';

describe('webhooks listen --register', () => {
  let home: string;
  let env: Record<string, string>;
  let service: EndpointService;
  let listening: Listening | undefined;

  beforeEach(() => {
    home = scratch();
    env = {
      ...{HOME: home, REMIT_STATE_DIR: join(home, 'state')},
      ...{REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    };
    service = new EndpointService();
  });
  afterEach(async () => {
    if (listening?.stop.reason === undefined) await listening?.end();
    listening = undefined;
  });

  const words = ['--register', '--public-url', PUBLIC];
  const notes = join('state', 'webhooks', 'registered');
  const open = async (more: readonly string[] = [], options: CliOptions = {}) => {
    const run = (argv: readonly string[], given: CliOptions) =>
      runCli(argv, {cwd: home, service: service.script(), ...given, ...options});
    return (listening = await Listening.open(env, [...words, ...more], run));
  };
  const refused = async (more: readonly string[] = []) =>
    runCli(['webhooks', 'listen', '--port', '0', ...words, ...more], {
      ...{cwd: home, env, service: service.script()},
    });

  it('--public-url registers the address of a tunnel, and the local address takes the deliveries', async () => {
    const at = await open(['--events', 'payout.*', '--path', '/remit']);
    const [endpoint] = service.endpoints.values();
    assert.deepEqual(
      [endpoint!.url, endpoint!.event_types, at.ready.endpoint_id],
      [PUBLIC, ['payout.debited', 'payout.settled', 'payout.failed'], endpoint!.id],
    );
    assert.match(at.ready.url, /^http:\/\/127\.0\.0\.1:\d+\/remit$/);
    const headers = signatureHeaders(endpoint!.secret, body(1), Date.now());
    assert.equal(await at.request('POST', '/remit?a=1', body(1), headers), 200);
    await at.until(({type}) => type === 'event');
    await at.end();
    assert.deepEqual(service.ids, []);
  });

  it('refuses a --public-url that the service could not deliver to', async () => {
    for (const url of ['http://hooks.example.com/', 'hooks.example.com', 'https://'])
      assert.equal((await refused(['--public-url', url])).exitCode, 2, url);
    const alone = await runCli(['webhooks', 'listen', '--port', '0', '--public-url', PUBLIC], {env});
    assert.equal(alone.exitCode, 2);
    assert.equal(service.requests.length, 0);
  });

  it('needs --live with a live key', async () => {
    env['REMIT_API_KEY'] = LIVE_KEY;
    const without = await refused();
    assert.equal(without.exitCode, 11, without.stderr);
    assert.match(without.stderr, /create a webhook endpoint with a live key/);
    const unconfirmed = await refused(['--live']);
    assert.equal(unconfirmed.exitCode, 11, 'no terminal, and no --yes');
    assert.equal(service.requests.length, 0);
    const at = await open(['--live', '--yes']);
    assert.deepEqual(service.ids, [at.ready.endpoint_id]);
    await at.end();
    assert.deepEqual(service.ids, []);
  });

  /** What a killed listener left: its endpoint, and the note about it. */
  async function leftOver(more = ['--live', '--yes']): Promise<{id: string; file: string}> {
    const {id, url} = service.add({url: PUBLIC});
    const at = await open(more);
    const [name] = readdirSync(join(home, notes));
    const file = join(home, notes, 'left.json');
    const kept = JSON.parse(readFileSync(join(home, notes, name!), 'utf8')) as Record<string, object>;
    await at.end();
    const holder = {...kept['holder'], pid: 4_190_000, startTime: '1'};
    writeFileSync(file, JSON.stringify({...kept, endpoint_id: id, url, holder}));
    return {id, file};
  }

  it('only names what a killed listener left with a live key, and the command that deletes it', async () => {
    env['REMIT_API_KEY'] = LIVE_KEY;
    const {id, file} = await leftOver();
    const at = await open(['--live', '--yes']);
    const ended = await at.end();
    assert.deepEqual(service.ids, [id]);
    assert.match(ended.stderr, new RegExp(`an earlier listener left the endpoint ${id}`));
    const hint = /remit (webhooks endpoints delete \S+ --live)/.exec(ended.stderr)![1]!;
    const typed = await runCli([...hint.split(' '), '--yes'], {env, service: service.script()});
    assert.equal(typed.exitCode, 0, typed.stderr);
    assert.deepEqual(service.ids, []);
    const next = await (await open(['--live', '--yes'])).end();
    assert.doesNotMatch(next.stderr, new RegExp(id), 'it is not named any more');
    assert.equal(existsSync(file), false);
  });

  describe('killed before it had the answer to its request', () => {
    interface Note {
      endpoint_id: string | null;
      url: string;
      description: string;
      holder: Record<string, unknown>;
    }
    const noted = (): Note[] =>
      existsSync(join(home, notes))
        ? readdirSync(join(home, notes))
            .filter((name) => name.endsWith('.json') && name !== 'left.json')
            .map((name) => JSON.parse(readFileSync(join(home, notes, name), 'utf8')) as Note)
        : [];
    const file = () => join(home, notes, 'left.json');

    /** What is on disk at the moment in which the request arrives, with a process that is dead by now. */
    async function intent({
      minutesAgo = 0,
      flags = [],
    }: {minutesAgo?: number; flags?: string[]} = {}): Promise<Note> {
      let found: Note[] = [];
      const script = service.script((request) => {
        if (request.startsWith('POST')) found = noted();
        return undefined;
      });
      await (await open(flags, {service: script})).end();
      assert.deepEqual(
        found.map(({endpoint_id: id, url}) => [id, url]),
        [[null, PUBLIC]],
      );
      const since = new Date(Date.now() - minutesAgo * 60_000).toISOString();
      const left = {...found[0]!, holder: {...found[0]!.holder, pid: 4_190_000, startTime: '1', since}};
      writeFileSync(file(), JSON.stringify(left));
      return left;
    }

    it('left an endpoint that the next start removes, and no other one with its URL', async () => {
      const {url, description} = await intent();
      const others = [service.add({url}), service.add({url: 'https://a.example/', description})];
      service.add({url, description});
      const ended = await (await open()).end();
      assert.deepEqual(
        service.ids,
        others.map(({id}) => id),
      );
      assert.match(ended.stderr, /Removed the endpoint \S+, which an earlier listener left\./);
      assert.equal(existsSync(file()), false);
    });

    it('left an endpoint that is only named with a live key', async () => {
      env['REMIT_API_KEY'] = LIVE_KEY;
      const {url, description} = await intent({flags: ['--live', '--yes']});
      const {id} = service.add({url, description});
      const ended = await (await open(['--live', '--yes'])).end();
      assert.deepEqual(service.ids, [id]);
      assert.match(ended.stderr, new RegExp(`an earlier listener left the endpoint ${id}`));
      assert.match(ended.stderr, new RegExp(`remit webhooks endpoints delete ${id} --live`));
    });

    it('left none: its note goes once the request cannot be under way any more', async () => {
      await intent();
      await (await open()).end();
      assert.equal(existsSync(file()), true);
      await intent({minutesAgo: 11});
      await (await open()).end();
      assert.equal(existsSync(file()), false);
    });

    it('leaves no note after a refusal, and one after an answer that was lost', async () => {
      const refusal = service.script((request) =>
        request.startsWith('POST') ? answer(400, {error_code: 'VALIDATION_ERROR', message: 'no'}) : undefined,
      );
      const argv = ['webhooks', 'listen', '--port', '0', ...words];
      assert.notEqual((await runCli(argv, {cwd: home, env, service: refusal})).exitCode, 0);
      assert.deepEqual(noted(), []);
      service.endpoints.clear();
      const silence = service.script((request) => (request.startsWith('POST') ? lost() : undefined));
      assert.equal((await runCli(argv, {cwd: home, env, service: silence})).exitCode, 12);
      assert.deepEqual(
        noted().map(({endpoint_id: id}) => id),
        [null],
      );
    });
  });

  it('never listens with, and so never removes, the endpoint of another answer', async () => {
    const foreign = service.add({url: 'https://a.example/'});
    for (const other of [{url: foreign.url}, {url: PUBLIC, description: 'mine'}]) {
      const body = {id: foreign.id, ...other, signing_secret: 'whsec_0123456789abcdef'};
      const mixed = service.script((request) => (request.startsWith('POST') ? answer(201, body) : undefined));
      const argv = ['webhooks', 'listen', '--port', '0', ...words];
      const ran = await runCli(argv, {cwd: home, env, service: mixed});
      assert.equal(ran.exitCode, 12, ran.stderr);
      assert.match(
        ran.stderr,
        new RegExp(`with the endpoint ${foreign.id}, which has another URL or description`),
      );
      assert.ok(service.ids.includes(foreign.id));
    }
  });

  it('names the endpoint and the command when it is not known to be removed at the end', async () => {
    const script = service.script((request) => (request.startsWith('DELETE') ? lost() : undefined));
    const at = await open([], {service: script});
    const ended = await at.end();
    const id = at.ready.endpoint_id!;
    assert.match(ended.stderr, new RegExp(`not known whether the endpoint ${id} was removed`));
    assert.match(ended.stderr, new RegExp(`remit webhooks endpoints delete ${id}`));
    assert.deepEqual([ended.exitCode, at.of('summary')[0]!.endpoints_left], [8, [id]]);
  });

  it('ends with 130 after Ctrl-C and 143 after SIGTERM if nothing is left, and with 8 if its endpoint is', async () => {
    for (const [signal, exit] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)
      for (const isLeft of [false, true]) {
        const script = service.script((request) =>
          isLeft && request.startsWith('DELETE') ? lost() : undefined,
        );
        const at = await open([], {service: script});
        at.stop.receive(signal);
        assert.equal((await at.ended()).exitCode, isLeft ? 8 : exit, `${signal} ${isLeft}`);
        rmSync(join(home, notes), {recursive: true});
      }
  });

  describe('if its endpoint is gone at the end', () => {
    const gone = (at: Listening) => {
      const id = at.ready.endpoint_id!;
      const {url, description} = service.endpoints.get(id)!;
      service.endpoints.delete(id);
      return {id, url, description: `${description} (replaces endpoint ${id})`};
    };

    it('names the one that replaces it, and the command that deletes it', async () => {
      const at = await open();
      const {id, ...successor} = gone(at);
      const other = service.add(successor).id;
      const ended = await at.end();
      assert.deepEqual([service.ids, at.of('summary')[0]!.endpoints_left], [[other], [other]]);
      assert.match(ended.stderr, new RegExp(`${other} has the same URL as the endpoint ${id}`));
      const hint = /remit (webhooks endpoints delete \S+)/.exec(ended.stderr)![1]!;
      const typed = await runCli(hint.split(' '), {env, service: service.script()});
      assert.deepEqual([typed.exitCode, service.ids], [0, []], typed.stderr);
      assert.deepEqual(readdirSync(join(home, notes)), []);
    });

    it('says only that, if no other has its URL', async () => {
      const at = await open();
      gone(at);
      const ended = await at.end();
      assert.match(ended.stderr, /did not exist any more/);
      assert.doesNotMatch(ended.stderr, /Hint/);
      assert.deepEqual(at.of('summary')[0]!.endpoints_left, []);
    });

    it('keeps its note as long as the service lists it: a 404 may mean another path', async () => {
      const page = (request: string) =>
        /^DELETE/.test(request) ? answer(404, '<html>no</html>') : undefined;
      const script: Script = (request, nth) => {
        const endpoints = new Map(service.endpoints);
        const reply = service.script(page)(request, nth);
        if (request.method === 'DELETE') for (const [id, one] of endpoints) service.endpoints.set(id, one);
        return reply;
      };
      const at = await open([], {service: script});
      const ended = await at.end();
      const id = at.ready.endpoint_id!;
      assert.match(
        ended.stderr,
        new RegExp(`${id} was not removed: the service answered 404, but still lists it`),
      );
      assert.match(ended.stderr, new RegExp(`remit webhooks endpoints delete ${id}`));
      assert.deepEqual(at.of('summary')[0]!.endpoints_left, [id]);
      assert.equal(readdirSync(join(home, notes)).filter((name) => name.endsWith('.json')).length, 1);
    });
  });

  it('ends with 8 instead of 0, and once, if its record cannot be closed', async () => {
    const own = Object.getOwnPropertyDescriptor(ListenRecord.prototype, 'close')!;
    async function close(this: ListenRecord): Promise<void> {
      await (own.value as typeof close).call(this);
      throw new RemitError('STATE', 'no space is left');
    }
    Object.defineProperty(ListenRecord.prototype, 'close', {...own, value: close});
    try {
      const at = await open(['--timeout', '1ms']);
      const ended = await at.ended();
      assert.equal(ended.exitCode, 8, ended.stderr);
      assert.equal(ended.stderr, 'Warning: the record was not closed properly: no space is left\n');
      assert.equal(service.requests.filter((request) => request.startsWith('DELETE')).length, 1);
      assert.equal(at.of('summary').length, 1);
      at.stop.receive('SIGINT');
    } finally {
      Object.defineProperty(ListenRecord.prototype, 'close', own);
    }
  });

  it('ends with 8 instead of 0 if its endpoint may be left', async () => {
    const script = service.script((request) => (request.startsWith('DELETE') ? lost() : undefined));
    const at = await open(['--expect', 'payout.settled'], {service: script});
    const {secret} = [...service.endpoints.values()][0]!;
    await at.post(body(1), signatureHeaders(secret, body(1), Date.now()));
    const ended = await at.ended();
    assert.equal(ended.exitCode, 8, ended.stderr);
    assert.equal(at.of('expect')[0]!.matched, true);
  });

  describe('and `endpoints rotate`', () => {
    const rotate = (id: string, words: string[] = ['-o', 'json']) =>
      runCli(['webhooks', 'endpoints', 'rotate', id, '--yes', '--secret-file', 's', ...words], {
        ...{cwd: home, env, service: service.script()},
      });

    it('is refused while the listener runs, and nothing is sent', async () => {
      const at = await open();
      const id = at.ready.endpoint_id!;
      const ran = await rotate(id);
      assert.equal(ran.exitCode, 5, ran.stderr);
      assert.match(
        ran.error().message,
        new RegExp(`${id} was created by .*process ${process.pid}, still running.*cannot get the new secret`),
      );
      assert.match(ran.error().hint!, /stop that listener and start it again/);
      await at.end();
      assert.deepEqual([service.ids, existsSync(join(home, 's'))], [[], false]);
    });

    it('is refused for what a killed listener left, with the command that deletes it', async () => {
      const {id} = await leftOver(['--secret-file', 'k']);
      const ran = await rotate(id);
      assert.deepEqual([ran.exitCode, ran.error().hint], [5, `remit webhooks endpoints delete ${id}`]);
      assert.match(ran.error().message, /which was killed; the next one uses it again or removes it/);
    });

    it('is refused for a listener elsewhere, until the endpoint has another description', async () => {
      const {id} = service.add({url: PUBLIC, description: 'remit webhooks listen 0123abcd'});
      const ran = await rotate(id);
      assert.equal(ran.exitCode, 5, ran.stderr);
      assert.match(
        ran.error().hint!,
        new RegExp(`remit webhooks endpoints update ${id} --description TEXT$`),
      );
      service.endpoints.get(id)!.description = 'TEXT';
      assert.equal((await rotate(id, ['--confirmed', '-o', 'json'])).exitCode, 0);
    });
  });
});
