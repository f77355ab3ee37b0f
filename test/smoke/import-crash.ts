import assert from 'node:assert/strict';
import {chmodSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {startSandbox} from '../../src/sandbox/server.ts';
import {seeded} from '../batch/harness.ts';
import {cleanEnv, type Ran, startCli} from './spawn-cli.ts';

/** A whole import of thousands of rows, on a busy machine. */
const PATIENCE_MS = 20 * 60_000;

interface Imported {
  created: number;
  problems: {reference: string; state: string; others: string[]}[];
}

interface Party {
  id: string;
  metadata: {remit_reference?: string};
}

export interface CrashedImport {
  kills: number;
  starts: number;
  /** Requests whose answers were lost, half of them before they took effect. */
  lost: number;
  lateDuplicates: number;
  /** Peak memory of a process, in megabytes. */
  peakMb: number;
  seconds: number;
  /** Files that were searched for account numbers, after each process. */
  searched: number;
}

const numberOf = (n: number): string => String(700_000_000_000 + n * 7919);

/**
 * Imports payees in real processes from a real sandbox that loses answers, and kills the process with SIGKILL at random
 * instants; the same command continues each time. Then each payee exists once or is named as a late duplicate, and no
 * account number is on disk or on a screen.
 */
export async function importWithKills({
  rows,
  kills: wanted,
  seed,
}: {
  rows: number;
  kills: number;
  seed: number;
}): Promise<CrashedImport> {
  const random = seeded(seed);
  const home = cleanEnv();
  const folder = home['HOME'] ?? '';
  chmodSync(folder, 0o700);
  const running = await startSandbox({store: join(folder, 'sandbox', 'sandbox.db')});
  const env = {...home, REMIT_API_KEY: running.testKey, REMIT_BASE_URL: running.baseUrl};
  const file = join(folder, 'payees.csv');
  writeFileSync(file, fileOf(rows));
  const began = performance.now();
  const ran: Ran[] = [];
  const numbers = new Set(Array.from({length: rows}, (_, n) => numberOf(n)));
  let [kills, peakMb, searched] = [0, 0, 0];
  try {
    const [lossBefore, lossAfter] = (['before', 'after'] as const).map((when) =>
      running.sandbox.faults.add({
        match: {method: 'POST'},
        effect: {kind: 'reset', when},
        probability: 0.025,
      }),
    );
    assert.ok(lossBefore !== undefined && lossAfter !== undefined);
    for (;;) {
      const {child, ended} = startCli(['payees', 'import', file, '--json'], env, 'closed', PATIENCE_MS);
      // A few requests after its first one: the rows last until the last kill.
      const killedAt = kills < wanted ? lossBefore.seen + 1 + random() * ((rows * 3) / wanted) : Infinity;
      const watch = setInterval(() => {
        peakMb = Math.max(peakMb, peakOf(child.pid));
        if (lossBefore.seen >= killedAt) child.kill('SIGKILL');
      }, 2);
      const end = await ended;
      clearInterval(watch);
      ran.push(end);
      searched += refuseNumbers(folder, numbers, {
        texts: [end.stdout, end.stderr],
        except: [file, join(folder, 'sandbox')],
      });
      if (end.signal === 'SIGKILL') kills++;
      else if (end.code !== 12 && end.code !== 7) break;
    }
    const last = ran.at(-1);
    assert.ok(last?.code === 0 || last?.code === 8, `exit ${last?.code}: ${last?.stderr}`);
    const {problems} = JSON.parse(last.stdout) as Imported;
    const named = new Map(problems.map(({reference, state, others}) => [reference, {state, others}]));
    const list = await startCli(['payees', 'list', '--all', '--json'], env, 'closed', PATIENCE_MS).ended;
    const idsOf = new Map<string, string[]>();
    for (const {id, metadata} of JSON.parse(list.stdout) as Party[]) {
      const reference = metadata.remit_reference ?? '';
      idsOf.set(reference, [...(idsOf.get(reference) ?? []), id]);
    }
    for (let n = 0; n < rows; n++) {
      const [first, ...others] = idsOf.get(`S-${n}`) ?? [];
      assert.ok(first !== undefined, `S-${n} is lost`);
      if (others.length === 0) continue;
      assert.equal(named.get(`S-${n}`)?.others.length, others.length, `S-${n} exists more than once`);
    }
    const seconds = (performance.now() - began) / 1000;
    const lost = lossBefore.hits + lossAfter.hits;
    return {kills, starts: ran.length, lost, lateDuplicates: problems.length, peakMb, seconds, searched};
  } finally {
    await running.close();
  }
}

function fileOf(rows: number): string {
  const lines = ['reference,name,account_number,routing_number,metadata.batch'];
  for (let n = 0; n < rows; n++) lines.push(`S-${n},Supplier ${n},${numberOf(n)},021000021,long`);
  return `${lines.join('\n')}\n`;
}

function peakOf(pid: number | undefined): number {
  try {
    const [, kb = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb) / 1024;
  } catch {
    return 0; // it has ended, or this is not Linux
  }
}

/** Reads every file byte by byte. @returns how many files were read */
function refuseNumbers(
  folder: string,
  numbers: ReadonlySet<string>,
  {texts, except}: {texts: readonly string[]; except: readonly string[]},
): number {
  const check = (what: string, text: string) => {
    for (const [run] of text.matchAll(/\d{12,}/g))
      for (let at = 0; at + 12 <= run.length; at++)
        assert.ok(!numbers.has(run.slice(at, at + 12)), `${what} has an account number`);
  };
  texts.forEach((text) => check('the screen', text));
  const files = readdirSync(folder, {recursive: true})
    .map((name) => join(folder, String(name)))
    .filter((path) => !except.some((one) => path.startsWith(one)) && statSync(path).isFile());
  for (const path of files) check(path, readFileSync(path, 'latin1'));
  return files.length;
}
