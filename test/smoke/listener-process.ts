import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {request, type Agent} from 'node:http';
import {signatureHeaders} from '../../src/webhooks/verify/signature.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

const SECRET = 'whsec_0123456789abcdef';

/** The built listener as a process of its own, on a free port. */
export class ListenerProcess {
  readonly child: ChildProcess;
  readonly port: number;
  #sent = 0;

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.port = port;
  }

  static async open(stateDir: string, words: readonly string[] = []): Promise<ListenerProcess> {
    const env = cleanEnv({REMIT_STATE_DIR: stateDir, REMIT_WEBHOOK_SECRET: SECRET});
    const argv = [BIN, 'webhooks', 'listen', '--port', '0', ...words];
    const child = spawn(process.execPath, argv, {env, stdio: ['ignore', 'pipe', 'ignore']});
    child.stdout.setEncoding('utf8');
    let text = '';
    while (!/:\d+\/\n/.test(text)) text += String((await once(child.stdout, 'data'))[0]);
    child.stdout.resume();
    return new ListenerProcess(child, Number(/:(\d+)\/\n/.exec(text)![1]));
  }

  /** Posts a good delivery of about `bytes`; the status, or undefined when the connection broke. */
  post(id = `e${(this.#sent += 1)}`, bytes = 0, agent?: Agent): Promise<number | undefined> {
    const note = 'x'.repeat(bytes);
    const body = Buffer.from(`{"id":"${id}","type":"payout.settled","data":{"note":"${note}"}}`);
    const headers = signatureHeaders(SECRET, body, Date.now());
    return new Promise((resolve) => {
      const {port} = this;
      const sent = request({
        ...(agent === undefined ? {agent: false} : {agent}),
        port,
        host: '127.0.0.1',
        method: 'POST',
        headers,
      });
      sent.on('response', (answer) => answer.resume().on('close', () => resolve(answer.statusCode)));
      sent.on('error', () => resolve(undefined));
      sent.end(body);
    });
  }

  /** Resident memory in bytes; Linux only. */
  residentBytes(): number {
    const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))!;
    return Number(kb) * 1024;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
