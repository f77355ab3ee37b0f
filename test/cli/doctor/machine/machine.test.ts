import assert from 'node:assert/strict';
import {chmodSync, mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {certificateFindings} from '../../../../src/cli/doctor/machine/connection.ts';
import type {Report} from '../../../../src/cli/doctor/report.ts';
import {systemProbe} from '../../../../src/store/locks/lock-holder.ts';
import {acquireLock} from '../../../../src/store/locks/lock.ts';
import {answer, lost} from '../../../client/transport/fake-transport.ts';
import {RecordingClock} from '../../../client/recording-clock.ts';
import {BASE_URL, runCli, type CliOptions, TEST_KEY} from '../../run-cli.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'remit-doctor-'));

/** The findings of one run, by check. */
async function doctor(options: Partial<CliOptions> = {}) {
  const home = options.env?.['HOME'] ?? folder();
  const ran = await runCli(['doctor', '--json'], {
    service: [lost('refused', {sent: false})],
    ...options,
    env: {HOME: home, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL, ...options.env},
  });
  const report = ran.json() as Report;
  const of = (name: string) => report.checks.find(({check}) => check === name)!;
  return {ran, report, of};
}

describe('remit doctor, for this machine', () => {
  it('finds files that other users may read or change, with the command that fixes them', async () => {
    const home = folder();
    const [config, state] = [join(home, 'config'), join(home, 'my state')];
    mkdirSync(config, {mode: 0o700});
    mkdirSync(state);
    chmodSync(state, 0o777);
    writeFileSync(join(config, 'config.json'), '{"version":1,"profiles":{}}');
    chmodSync(join(config, 'config.json'), 0o644);
    const {of} = await doctor({env: {HOME: home, REMIT_CONFIG_DIR: config, REMIT_STATE_DIR: state}});
    assert.equal(of('config folder').verdict, 'holds');
    assert.equal(of('config file').verdict, 'differs');
    assert.equal(of('config file').fix, `chmod 600 ${config}/config.json`);
    assert.equal(of('state folder').verdict, 'differs');
    assert.equal(of('state folder').fix, `chmod go-w '${state}'`);
  });

  it('reports a state folder that cannot be created', async () => {
    const home = folder();
    writeFileSync(join(home, 'file'), '');
    const {of} = await doctor({env: {HOME: home, REMIT_STATE_DIR: join(home, 'file', 'state')}});
    assert.match(of('state folder').evidence, /cannot be created/);
    assert.equal(of('state folder').fix, 'set another folder in REMIT_STATE_DIR');
  });

  it('names the holder of a lock', async () => {
    const home = folder();
    mkdirSync(join(home, 'batches'));
    const lock = await acquireLock(join(home, 'batches', 'a.lock'), {purpose: 'run of batch a'});
    const {of} = await doctor({env: {HOME: home, REMIT_STATE_DIR: home}});
    await lock.release();
    assert.match(
      of('locks').evidence,
      new RegExp(`is held by process ${process.pid} on .* \\(run of batch a\\), since`),
    );
    assert.equal((await doctor({env: {HOME: home, REMIT_STATE_DIR: home}})).of('locks').evidence, 'no locks');
  });

  it('does not know whether a process of another machine still runs', async () => {
    const home = folder();
    mkdirSync(join(home, 'batches'));
    const probe = {...systemProbe, host: 'another machine'};
    const lock = await acquireLock(join(home, 'batches', 'a.lock'), {purpose: 'run of batch a', probe});
    const {of} = await doctor({env: {HOME: home, REMIT_STATE_DIR: home}});
    await lock.release();
    assert.equal(of('locks').verdict, 'unknown');
    assert.match(
      of('locks').evidence,
      /on another machine .* it is not known whether that process still runs/,
    );
  });
});

describe('remit doctor, for the connection', () => {
  it('reports a service that does not answer, and everything about it as unknown', async () => {
    const {ran, report, of} = await doctor();
    assert.equal(ran.exitCode, 8);
    assert.equal(of('service').verdict, 'differs');
    assert.deepEqual(
      report.checks.filter(({area, verdict}) => area === 'service' && verdict !== 'unknown'),
      [],
    );
  });

  it('reports a key that is not accepted, and sends no other request', async () => {
    const {ran, of} = await doctor({
      service: [answer(401, {error_code: 'AUTHENTICATION_ERROR', message: 'no'})],
    });
    assert.equal(ran.exitCode, 8);
    assert.equal(of('service').evidence, 'the key is not accepted (401)');
    assert.equal(of('service').fix, 'check which key is active: remit whoami');
    assert.match(of('key').evidence, /, from REMIT_API_KEY$/);
    assert.equal(ran.requests.length, 1);
  });

  it('compares the clocks, and never shows the key', async () => {
    const clock = new RecordingClock();
    const date = new Date(clock.now() - 250_000).toUTCString();
    const {ran, of} = await doctor({clock, service: [answer(200, {data: [], next_cursor: null}, {date})]});
    assert.equal(of('clock').verdict, 'differs');
    assert.match(of('clock').evidence, /this machine is 25\d s ahead of the service/);
    assert.doesNotMatch(ran.stdout + ran.stderr, new RegExp(TEST_KEY));
  });

  it('warns of a certificate that expires soon', () => {
    const facts = {subject: 'api.example.com', issuer: 'Test CA', protocol: 'TLSv1.3'};
    const day = 86_400_000;
    const verdictAfter = (days: number) =>
      certificateFindings({...facts, validToMs: days * day}, 0).find(({check}) => check === 'certificate');
    assert.equal(verdictAfter(90)?.verdict, 'holds');
    assert.equal(verdictAfter(5)?.verdict, 'differs');
    assert.match(verdictAfter(5)?.evidence ?? '', /issued by Test CA, valid until 1970-01-06 UTC \(5 days\)/);
  });
});
