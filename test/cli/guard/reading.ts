import type {Context} from '../../../src/cli/core/context.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {RemitClient} from '../../../src/client/client.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {answer, FakeTransport, type Reply} from '../../client/transport/fake-transport.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {BASE_URL, LIVE_KEY} from '../run-cli.ts';

/** What the details of a confirmation need of a context, over a service that answers by path; 404 for any other. */
export function reading(
  replies: Readonly<Record<string, Reply>> = {},
  stop = new Stop(() => {}),
  service: ServiceFile = {},
) {
  const transport = new FakeTransport(
    ({path}) => replies[path.split('?')[0]!] ?? answer(404, {error: {code: 'NOT_FOUND', message: 'none'}}),
  );
  const client = new RemitClient({
    ...{baseUrl: BASE_URL, key: LIVE_KEY, transport, clock: new RecordingClock()},
    random: () => 0,
  });
  return {context: {client, stop, profile: {service}} as unknown as Context, requests: transport.requests};
}
