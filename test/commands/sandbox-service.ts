import type {Transport, TransportAnswer, TransportRequest} from '../../src/client/transport/transport.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {TestSandbox} from '../sandbox/harness.ts';

/** The sandbox's answer to a request of the client, without a socket. */
export async function answerOf(
  {sandbox}: TestSandbox,
  {method, path, headers, body}: TransportRequest,
): Promise<TransportAnswer> {
  const init = {method, headers: {...headers}, ...(body === undefined ? {} : {body})};
  const response = await sandbox.fetch(new Request(`http://localhost${path}`, init));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** The sandbox as a transport, without a socket. Waiting advances its clock. */
export class SandboxService implements Transport {
  readonly sandbox: TestSandbox;
  /** The clock for the command, whose sleeps also advance the sandbox's clock. */
  readonly clock = new RecordingClock();

  private constructor(sandbox: TestSandbox) {
    this.sandbox = sandbox;
    let last = this.clock.now();
    this.clock.onSleep = () => {
      sandbox.clock.pass(Math.ceil(this.clock.now() - last) + 1000); // its time is whole milliseconds
      last = this.clock.now();
    };
  }

  static async open(options?: Parameters<typeof TestSandbox.open>[0]): Promise<SandboxService> {
    return new SandboxService(await TestSandbox.open(options));
  }

  get testKey(): string {
    return this.sandbox.sandbox.testKey;
  }

  get liveKey(): string {
    return this.sandbox.sandbox.liveKey;
  }

  send(request: TransportRequest): Promise<TransportAnswer> {
    return answerOf(this.sandbox, request);
  }

  async close(): Promise<void> {}
}
