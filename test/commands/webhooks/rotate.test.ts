import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {secretFingerprint} from '../../../src/webhooks/verify/secrets.ts';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {answer, lost} from '../../client/transport/fake-transport.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {delivery, record} from '../../webhooks/record/deliveries.ts';
import {EndpointService} from './endpoint-service.ts';

const CREATE = 'POST all';

describe('webhooks endpoints rotate', () => {
  let home: string;
  let env: Record<string, string>;
  let service: EndpointService;
  let old: string;

  beforeEach(() => {
    home = scratch();
    env = {
      ...{HOME: home, REMIT_STATE_DIR: join(home, 'state')},
      ...{REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    };
    service = new EndpointService();
    old = service.add({description: 'orders'}).id;
  });

  const states = () => {
    const folder = join(home, 'state', 'webhooks', 'rotations');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  };
  const stateFile = () => join(home, 'state', 'webhooks', 'rotations', states()[0]!);
  const secretOf = (id: string) => service.endpoints.get(id)!.secret;
  const newest = () => [...service.endpoints.values()].at(-1)!;
  const run = (words: readonly string[], options: CliOptions = {}) =>
    runCli(['webhooks', 'endpoints', 'rotate', ...words], {
      ...{cwd: home, env, service: service.script()},
      ...options,
    });
  /** Runs the command of a hint. */
  const typed = (hint: string | null, more: readonly string[] = [], options: CliOptions = {}) => {
    assert.match(hint!, /^remit webhooks endpoints rotate /);
    return run([...hint!.split(' ').slice(4), ...more], options);
  };
  /** A listener records a delivery that verified with this secret. */
  const deliver = (secret: string) =>
    record(join(home, 'state', 'webhooks', 'record'), [
      {kind: 'delivery', delivery: delivery(1, {secret: secretFingerprint('another')})},
      {kind: 'delivery', delivery: delivery(2, {secret: secretFingerprint(secret)})},
    ]);
  /** The time of a wait; a delivery arrives while it waits. */
  const waiting = (): RecordingClock => {
    const clock = new RecordingClock();
    let deliveredBy: Promise<void> | undefined;
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      await (deliveredBy ??= deliver(newest().secret));
      await sleep(ms, signal);
    };
    return clock;
  };

  it('creates a twin, shows its secret once, waits for a delivery, asks, and deletes the old one', async () => {
    const ran = await run([old], {columns: 100, answers: [true], clock: waiting()});
    assert.equal(ran.exitCode, 0, ran.stderr);
    const [id, ...others] = service.ids;
    assert.deepEqual(others, []);
    const {url, event_types, description, secret} = service.endpoints.get(id!)!;
    assert.deepEqual(
      [url, event_types, description],
      ['https://example.com/hooks', ['payout.settled', 'payin.failed'], `orders (replaces endpoint ${old})`],
    );
    assert.equal(ran.stdout.split(secret).length, 2, 'once');
    assert.doesNotMatch(ran.stderr, new RegExp(secret));
    assert.match(ran.stdout, /The delivery dlv_0{23}2 verified with the new secret\./);
    assert.match(ran.stderr, /The old secret stays in use until this command deletes the\s+old endpoint\.\n/);
    assert.match(ran.stderr, /Waiting up to 10 min for a delivery/);
    assert.match(ran.stdout, /from now on, only the new secret is used\.$/m);
    assert.deepEqual(ran.questions, [`Delete the old endpoint ${old}?`]);
    assert.deepEqual(states(), []);
    const twice = await run([id!, '--confirmed'], {columns: 100, answers: [true]});
    assert.equal(twice.exitCode, 0, twice.stderr);
    assert.equal(newest().description, `orders (replaces endpoint ${id})`, 'descriptions do not grow');
  });

  it('writes the secret to a file, and one JSON document, for scripts', async () => {
    const words = [old, '--yes', '--secret-file', 'new.secret', '-o', 'json'];
    const ran = await run(words, {clock: waiting()});
    assert.equal(ran.exitCode, 0, ran.stderr);
    const {id, secret} = newest();
    assert.deepEqual(ran.json(), {
      ...{
        id,
        replaced: old,
        url: 'https://example.com/hooks',
        event_types: ['payout.settled', 'payin.failed'],
      },
      ...{secret_fingerprint: secretFingerprint(secret), secret_file: join(home, 'new.secret')},
      ...{verified_by: 'delivery', delivery: delivery(2).id, canceled_deliveries: null},
    });
    assert.match(ran.stderr, /Whether deliveries still wait for the old endpoint is not known/);
    assert.equal(readFileSync(join(home, 'new.secret'), 'utf8'), `${secret}\n`);
    assert.equal(statSync(join(home, 'new.secret')).mode & 0o777, 0o600);
    assert.doesNotMatch(ran.stdout + ran.stderr, new RegExp(secret));
    assert.deepEqual(service.ids, [id]);
  });

  it('does not wait once the user confirms that the receiver has the secret', async () => {
    const ran = await run([old, '--confirmed', '--yes', '--secret-file', 's', '-o', 'json']);
    assert.equal((ran.json() as {verified_by: string}).verified_by, 'confirmation');
    assert.deepEqual(service.requests, ['GET 01', CREATE, 'GET 02', 'DELETE 01', 'GET all']);
  });

  it('names both endpoints and the command that continues when no delivery arrives', async () => {
    const late = await run([old, '--yes', '--secret-file', 's', '--timeout', '5s', '-o', 'json']);
    assert.equal(late.exitCode, 10);
    const {message, hint, details} = late.error();
    const {id} = newest();
    assert.match(message, new RegExp(`old endpoint ${old} and the new one ${id} both exist`));
    assert.deepEqual(
      [details!['old_endpoint'], details!['new_endpoint'], details!['step'], details!['next']],
      [old, id, 'handed_over', hint],
    );
    const next = await typed(hint, ['--confirmed', '-o', 'json']);
    assert.equal(next.exitCode, 0, next.stderr);
    assert.deepEqual(service.ids, [id]);
    assert.equal(service.requests.filter((request) => request === CREATE).length, 1);
  });

  it('says where the secret is when it continues, and that another file is not written', async () => {
    await run([old, '--yes', '--secret-file', 's', '--timeout', '5s']);
    const same = await run([old, '--yes', '--secret-file', 's', '--timeout', '5s']);
    assert.match(same.stderr, /^The new signing secret is in \S+s\.$/m);
    const other = await run([old, '--confirmed', '--yes', '--secret-file', 'other']);
    assert.equal(other.exitCode, 0, other.stderr);
    assert.match(other.stderr, /^Warning: The new signing secret is in \S+s; \S+other is not written\.$/m);
    assert.equal(existsSync(join(home, 'other')), false);
  });

  it('deletes nothing without a yes, and continues from there', async () => {
    const no = await run([old, '--confirmed'], {columns: 100, answers: [false]});
    assert.equal(no.exitCode, 11, no.stderr);
    assert.equal(service.ids.length, 2);
    const hint = /remit webhooks endpoints rotate \S+/.exec(no.stderr)![0];
    const yes = await typed(hint, [], {columns: 100, answers: [true]});
    assert.equal(yes.exitCode, 0, yes.stderr);
    assert.deepEqual(service.ids, [newest().id]);
  });

  it('is interrupted by Ctrl-C during the wait, and names what exists', async () => {
    const stop = new Stop(() => assert.fail('a test must not end the process'));
    const clock = new RecordingClock();
    clock.onSleep = () => stop.reason ?? stop.receive('SIGINT');
    const ran = await run([old, '--yes', '--secret-file', 's', '-o', 'json'], {clock, stop});
    stop.release();
    assert.equal(ran.exitCode, 130);
    const {message, hint} = ran.error();
    assert.match(message, new RegExp(`${newest().id} was created, and the old one, ${old}, still exists`));
    assert.equal((await typed(hint, ['--confirmed'])).exitCode, 0);
  });

  it('refuses before anything is sent what would only fail later', async () => {
    for (const [words, code, pattern] of [
      [[old], 2, /no terminal.*--yes/s],
      [[old, '--yes', '-o', 'json'], 2, /--secret-file/],
      [[old, '--yes', '--fields', 'id'], 2, /--secret-file/],
    ] as const) {
      const ran = await run(words);
      assert.equal(ran.exitCode, code, ran.stderr);
      assert.match(ran.stderr, pattern);
    }
    assert.equal(service.requests.length, 0);
    writeFileSync(join(home, 'taken'), 'mine');
    const taken = await run([old, '--yes', '--secret-file', 'taken']);
    assert.equal(taken.exitCode, 13);
    assert.equal((await run(['0192a000-0000-7000-8000-000000000099', '--yes'])).exitCode, 4);
    service.endpoints.get(old)!.is_active = false;
    const disabled = await run([old, '--yes']);
    assert.equal(disabled.exitCode, 5);
    assert.match(disabled.stderr, new RegExp(`remit webhooks endpoints enable ${old}`));
    assert.ok(!service.requests.includes(CREATE));
    assert.deepEqual(states(), []);
    assert.equal(readFileSync(join(home, 'taken'), 'utf8'), 'mine');
  });

  it('shows the request of a dry run, and sends nothing', async () => {
    const ran = await run([old, '--dry-run', '-o', 'json']);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as {method: string}).method, 'POST');
    assert.deepEqual(service.requests, ['GET 01']);
    assert.deepEqual(states(), []);
  });

  it('is guarded like every write with a live key', async () => {
    env['REMIT_API_KEY'] = LIVE_KEY;
    const words = [old, '--confirmed', '--secret-file', 's'];
    assert.equal((await run([...words, '--yes'])).exitCode, 11, 'without --live');
    assert.deepEqual([service.ids, states()], [[old], []]);
    const asked = await run([...words, '--live'], {columns: 100, answers: [true, false]});
    assert.equal(asked.exitCode, 11, asked.stderr);
    assert.equal(asked.questions.length, 2, 'the creation and the deletion');
    assert.equal(service.ids.length, 2);
    const hint = /remit webhooks endpoints rotate .*/.exec(asked.stderr)![0];
    assert.match(hint, / --live$/);
    const ended = await typed(hint, ['--yes']);
    assert.equal(ended.exitCode, 0, ended.stderr);
    assert.deepEqual(service.ids, [newest().id]);
  });

  describe('after an interruption', () => {
    const words = () => [old, '--confirmed', '--yes', '--secret-file', 's', '-o', 'json'];
    const finished = async (more: readonly string[] = []) => {
      const ran = await run([...words(), ...more]);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(service.ids.length, 1);
      assert.notEqual(service.ids[0], old);
      assert.equal(readFileSync(join(home, 's'), 'utf8'), `${secretOf(service.ids[0]!)}\n`);
      assert.deepEqual(states(), []);
      return ran;
    };

    for (const [when, nth] of [
      ['the read of the old endpoint', 0],
      ['the creation', 1],
      ['the read of the new endpoint', 2],
      ['the deletion', 3],
    ] as const)
      it(`continues when the answer to ${when} was lost`, async () => {
        let count = 0;
        const cut = () => (count++ >= nth ? lost() : undefined);
        const ran = await run(words(), {service: service.script(cut)});
        assert.notEqual(ran.exitCode, 0);
        assert.ok(service.ids.length > 0, 'one endpoint at least is always there');
        if (nth > 0) assert.match(ran.error().hint!, /^remit webhooks endpoints rotate \S+ --yes$/);
        await finished();
      });

    it('continues when the service refuses the deletion', async () => {
      const refuse = (request: string) =>
        request.startsWith('DELETE')
          ? answer(403, {error_code: 'AUTHORIZATION_ERROR', message: 'no'})
          : undefined;
      const copy = new Map(service.endpoints);
      const ran = await run(words(), {service: service.script(refuse)});
      assert.equal(ran.exitCode, 3, ran.stderr);
      assert.match(ran.error().message, /both exist/);
      service.endpoints.set(old, copy.get(old)!);
      await finished();
    });

    /** What a killed run left: its state, and the file for the secret. */
    const killed = async (changes: Record<string, unknown>, file: string | undefined) => {
      await run([...words().filter((word) => word !== '--confirmed'), '--timeout', '0s']);
      const state = JSON.parse(readFileSync(stateFile(), 'utf8')) as Record<string, unknown>;
      writeFileSync(stateFile(), JSON.stringify({...state, ...changes}));
      if (file !== undefined) writeFileSync(join(home, 's'), file);
      return newest();
    };

    it('deletes an endpoint whose secret was not written, and creates another', async () => {
      const first = await killed({step: 'created'}, '');
      await finished();
      assert.ok(!service.ids.includes(first.id));
    });

    it('keeps an endpoint whose secret was written', async () => {
      const first = await killed({step: 'created'}, undefined);
      await finished();
      assert.deepEqual(service.ids, [first.id]);
    });

    it('finds an endpoint whose creation was not noted by its description', async () => {
      const unlike = service.add({description: 'mine'}).id;
      const first = await killed({step: 'creating', new_id: null, fingerprint: null}, '');
      const ran = await run(words());
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(service.ids, [unlike, newest().id]);
      assert.notEqual(newest().id, first.id);
    });

    it('ends as done when the old endpoint was deleted before the kill', async () => {
      await killed({step: 'verified', verified_by: 'confirmation'}, undefined);
      service.endpoints.delete(old);
      await finished();
    });

    it('never deletes the old endpoint when the new one is gone, disabled or changed', async () => {
      const {id} = await killed({}, undefined);
      const changed = service.endpoints.get(id)!;
      changed.is_active = false;
      assert.match(
        (await run(words())).error().message,
        /is disabled; enable it with: remit webhooks endpoints enable \S+\./,
      );
      Object.assign(changed, {is_active: undefined});
      assert.match(
        (await run(words())).error().message,
        /does not show whether the new endpoint \S+ is active/,
      );
      Object.assign(changed, {is_active: true, url: 'https://example.com/other'});
      assert.match((await run(words())).error().message, /has another URL/);
      Object.assign(changed, {is_active: true, url: service.endpoints.get(old)!.url});
      const unread = (request: string) => (request === `GET ${id.slice(-2)}` ? answer(404, {}) : undefined);
      const hidden = await run(words(), {service: service.script(unread)});
      assert.match(hidden.error().message, /lists the new endpoint \S+ but does not find it/);
      assert.deepEqual(service.ids, [old, id], 'nothing was deleted');
      service.endpoints.delete(id);
      const gone = await run(words());
      assert.equal(gone.exitCode, 4);
      assert.match(gone.error().message, new RegExp(`the old one, ${old}, was not deleted`));
      assert.deepEqual(service.ids, [old]);
      const next = await typed(gone.error().hint, ['--confirmed', '-o', 'json']);
      assert.equal(next.exitCode, 0, next.stderr);
      assert.deepEqual(service.ids, [newest().id]);
      assert.equal(readFileSync(join(home, 's'), 'utf8'), `${secretOf(newest().id)}\n`);
    });

    it('keeps the old endpoint while the new one has other event types, and shows its own at the end', async () => {
      const {id} = await killed({step: 'verified', verified_by: 'confirmation'}, undefined);
      const changed = service.endpoints.get(id)!;
      for (const types of [['payout.settled'], [], ['payin.failed', 'payout.created']]) {
        Object.assign(changed, {event_types: types});
        const ran = await run(words());
        assert.deepEqual([ran.exitCode, service.ids], [5, [old, id]], ran.stderr);
        assert.match(
          ran.error().message,
          new RegExp(
            `event_types is .*; change it with: remit webhooks endpoints update ${id} --event-types payout.settled,payin.failed\\.`,
          ),
        );
      }
      Object.assign(changed, {event_types: ['payin.failed', 'payout.settled']});
      const ran = await run(words());
      assert.deepEqual([ran.exitCode, service.ids], [0, [id]], ran.stderr);
      assert.deepEqual((ran.json() as {event_types: string[]}).event_types, [
        'payin.failed',
        'payout.settled',
      ]);
    });

    for (const [whose, other] of [
      ['the old endpoint', {}],
      [
        'an endpoint with another URL',
        {id: '0192a000-0000-7000-8000-0000000000ff', url: 'https://a.example/'},
      ],
    ] as const)
      it(`continues when the creation was answered with ${whose}, and deletes neither`, async () => {
        const {id, url} = service.endpoints.get(old)!;
        const body = {id, url, is_active: true, signing_secret: 'whsec_0123456789abcdef', ...other};
        const mixed = (request: string) => (request === CREATE ? answer(201, body) : undefined);
        const ran = await run(words(), {service: service.script(mixed)});
        assert.equal(ran.exitCode, 12, ran.stderr);
        assert.match(ran.error().message, /the service answered the creation with .* its secret is lost/);
        assert.deepEqual([service.ids, existsSync(join(home, 's'))], [[old, newest().id], false]);
        const next = await typed(ran.error().hint, ['--confirmed', '-o', 'json']);
        assert.equal(next.exitCode, 0, next.stderr);
        assert.deepEqual(service.ids, [newest().id]);
      });

    it('does not report a deletion that did not happen', async () => {
      const copy = service.endpoints.get(old)!;
      for (const lie of [
        answer(204),
        answer(200, {}),
        answer(404, {error_code: 'NOT_FOUND', message: 'no'}),
      ]) {
        const kept = (request: string) => {
          if (!request.startsWith('DELETE')) return undefined;
          service.endpoints.set(old, copy);
          return lie;
        };
        const ran = await run(words(), {service: service.script(kept)});
        assert.equal(ran.exitCode, 12, ran.stderr);
        assert.match(ran.error().message, new RegExp(`${old} but still lists it as active`));
      }
      await finished();
    });

    it('ends when the old endpoint was deleted by other means, and keeps the new one', async () => {
      const {id} = await killed({}, undefined);
      service.endpoints.delete(old);
      const ran = await run(words());
      assert.equal(ran.exitCode, 4);
      assert.equal(ran.error().hint, `remit webhooks endpoints get ${id}`);
      assert.deepEqual(service.ids, [id]);
      assert.deepEqual(states(), []);
    });

    it('sends the id of the new endpoint to the rotation that created it', async () => {
      const {id} = await killed({}, undefined);
      const ran = await run([id, '--yes', '--secret-file', 'other', '-o', 'json']);
      assert.equal(ran.exitCode, 5);
      assert.equal(ran.error().hint, `remit webhooks endpoints rotate ${old} --yes`);
    });

    it('names an endpoint that a lost creation made later', async () => {
      await killed({}, undefined);
      const late = service.add({description: newest().description});
      const ran = await run(words());
      assert.equal(ran.exitCode, 0);
      assert.match(ran.stderr, new RegExp(`remit webhooks endpoints delete ${late.id}`));
    });
  });

  it('does not replace anything with an endpoint that came without a secret', async () => {
    const without = (request: string) => (request === CREATE ? answer(201, {id: newest().id}) : undefined);
    const ran = await run([old, '--yes', '--secret-file', 's', '-o', 'json'], {
      service: service.script(without),
    });
    assert.equal(ran.exitCode, 7);
    assert.equal(ran.error().hint, `remit webhooks endpoints delete ${newest().id}`);
    assert.equal(service.ids.length, 2);
    assert.deepEqual([states(), existsSync(join(home, 's'))], [[], false]);
  });
});
