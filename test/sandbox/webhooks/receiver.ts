import type {Post, PostWebhook, Posted} from '../../../src/sandbox/webhooks/post.ts';
import {verifyWebhook, type Verification} from '../../../src/webhooks/verify/signature.ts';

/** Header names as the sender writes them. */
export const timestampOf = (post: Post): string => post.headers['X-Webhook-Timestamp']!;

/** A receiver without a socket: it keeps what it is sent and answers as it is told. */
export class FakeReceiver {
  readonly posts: Post[] = [];
  /** What the next deliveries are answered; 200 when nothing is left. */
  readonly answers: Partial<Posted>[] = [];
  /** By URL, instead of `answers`. */
  readonly always = new Map<string, Partial<Posted>>();

  /** By URL: an answer that takes its time, once. */
  readonly hold = new Map<string, Promise<Partial<Posted>>>();

  readonly post: PostWebhook = async (post) => {
    this.posts.push(post);
    const held = await this.hold.get(post.url);
    const answer = held ?? this.always.get(post.url) ?? this.answers.shift() ?? {};
    return {elapsedMs: 0, status: 200, response: 'ok', ...answer};
  };

  get bodies(): {id: string; type: string; data: Record<string, unknown>}[] {
    return this.posts.map(({body}) => JSON.parse(body) as FakeReceiver['bodies'][number]);
  }

  get types(): string[] {
    return this.bodies.map(({type}) => type);
  }

  verify(post: Post, secret: string, nowMs: number): Verification {
    const {headers} = post;
    return verifyWebhook({body: Buffer.from(post.body), headers, secrets: secret, nowMs});
  }
}
