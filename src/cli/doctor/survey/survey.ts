import {operationOf} from '../../../service/routes.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {Sanitizer} from '../../../sanitize/sanitizer.ts';
import type {Context} from '../../core/context.ts';
import {messageOf, type JsonFields} from '../../../narrow.ts';
import {Asker, failedReplyText, type RequestParts, type ServiceReply} from './asker.ts';
import {ServiceDraft, hasSecret} from './draft.ts';
import {type Finding, type FindingFacts, findings, toAdd} from './finding.ts';

const service = findings('service');

/** Records of one list, in the service's form and in canonical form. */
export interface Sample {
  readonly wire: readonly JsonFields[];
  readonly canonical: readonly JsonFields[];
  /** Values for the parameters in the path of the list: the account of its transactions. */
  readonly params?: Readonly<Record<string, string>>;
}

/** The state that all checks of one service share. */
export class ServiceSurvey {
  readonly asker: Asker;
  readonly draft: ServiceDraft;
  found: Finding[] = [];
  readonly replies: ServiceReply[] = [];
  readonly samples = new Map<OperationId, Sample>();

  readonly #context: Context;
  readonly #sanitizer: Sanitizer;

  /** @param base the service file to start from */
  constructor(context: Context, base: ServiceFile = context.profile.service, asker = new Asker(context)) {
    this.#context = context;
    this.#sanitizer = context.out.sanitizer;
    this.asker = asker;
    this.draft = new ServiceDraft(base);
  }

  /** A survey that starts from what this one has found out. */
  next(): ServiceSurvey {
    return new ServiceSurvey(this.#context, this.draft.file, this.asker);
  }

  /** Sends a request in the form known so far, or in the form of `file` to try something out. */
  async ask(
    id: OperationId,
    question: RequestParts = {},
    file: ServiceFile = this.draft.file,
  ): Promise<ServiceReply> {
    const reply = await this.asker.operation(id, file, question);
    this.replies.push(reply);
    return reply;
  }

  /** Reads a list again, with the parameters in its path that its sample was read with. */
  askList(
    id: OperationId,
    query: NonNullable<RequestParts['query']>,
    file?: ServiceFile,
  ): Promise<ServiceReply> {
    return this.ask(id, {query, params: this.samples.get(id)?.params ?? {}}, file);
  }

  /** Runs one check. If it fails, its result is unknown, and the other checks still run. */
  async attempt(check: string, run: () => void | Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#context.stop.signal.throwIfAborted();
      const evidence = `the check failed: ${this.#sanitizer.words(messageOf(error))}`;
      this.unknown(check, evidence, {isFailed: true});
    }
  }

  /** Whether a check has a finding. */
  has(check: string): boolean {
    return this.found.some((finding) => finding.check === check);
  }

  holds(check: string, evidence: string, facts?: FindingFacts): void {
    this.found.push(service.holds(check, evidence, facts));
  }

  unknown(check: string, evidence: string, facts?: FindingFacts): void {
    this.found.push(service.unknown(check, evidence, facts));
  }

  /**
   * Records a difference. If it is certain, later requests use it. What contains a secret or would not be valid in the
   * service file is neither used nor proposed.
   */
  differs(check: string, evidence: string, facts: FindingFacts = {}): void {
    const {write, sure = false} = facts;
    const why = write === undefined ? undefined : this.#whyNotProposed(write);
    if (write !== undefined && sure && why === undefined) this.draft.add(write);
    this.found.push(
      why === undefined
        ? service.differs(check, evidence, facts)
        : service.differs(check, `${evidence}; not proposed${why}`, {
            ...facts,
            write: undefined,
            sure: false,
          }),
    );
  }

  #whyNotProposed(write: ServiceFile): string | undefined {
    if (hasSecret(write, this.#sanitizer)) return ', because it contains a secret';
    const problem = this.draft.problemWith(write);
    return problem === undefined ? undefined : `: ${problem}`;
  }
}

/** The row of the assumption about the route of an operation. */
export function rowOf(id: OperationId): number | undefined {
  const {origin, prefix} = operationOf(id);
  if (origin.kind === 'assumed') return origin.row;
  return prefix?.origin.kind === 'assumed' ? prefix.origin.row : undefined;
}

/** Reports a route whose answer was no success, or not what it must contain. `example`: the line that may be missing. */
export function noteTrouble(
  survey: ServiceSurvey,
  id: OperationId,
  reply: ServiceReply,
  noun: string,
  example: ServiceFile,
): void {
  const check = `routes.${id}`;
  const row = rowOf(id);
  const {status, assumption} = reply;
  const evidence = failedReplyText(reply, noun);
  if (isGood(reply) || isMissing(reply)) survey.differs(check, evidence, {row, fix: toAdd(example)});
  else if (isRefused(reply)) {
    const fix = assumption === undefined ? undefined : `set ${assumption.key} in the service file`;
    survey.differs(check, evidence, {row, fix});
  } else survey.unknown(check, evidence, {row, isFailed: status !== 401 && status !== 403});
}

export const resourceOf = (id: OperationId): string => id.slice(0, id.indexOf('.'));
export const isGood = ({status}: ServiceReply): boolean => status >= 200 && status < 300;
/** The service refuses the values of the request. */
export const isRefused = ({status}: ServiceReply): boolean => status === 400 || status === 422;
/** A write whose records exist: after it, a 404 is about the route, unless its code names another record. */
export const lacksRoute = (reply: ServiceReply): boolean =>
  isMissing(reply) && !['PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND'].includes(reply.errorCode ?? '');
/** The service has no such route. */
export const isMissing = ({status}: ServiceReply): boolean =>
  status === 404 || status === 405 || status === 501;
