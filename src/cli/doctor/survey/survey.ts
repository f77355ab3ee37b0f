import {findOperation} from '../../../service/routes.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {Sanitizer} from '../../../sanitize/sanitizer.ts';
import type {Context} from '../../core/context.ts';
import {Asker, type Question, type Reply} from './asker.ts';
import {Draft, hasSecret} from './draft.ts';
import type {Finding} from './finding.ts';
import type {Json} from './shapes.ts';

/** Records of one list, in the service's form and in canonical form. */
export interface Sample {
  readonly wire: readonly Json[];
  readonly canonical: readonly Json[];
}

/** The state that all checks of one service share. */
export class Survey {
  readonly asker: Asker;
  readonly draft: Draft;
  readonly found: Finding[] = [];
  readonly replies: Reply[] = [];
  readonly samples = new Map<OperationId, Sample>();

  readonly #sanitizer: Sanitizer;

  constructor(context: Context) {
    this.#sanitizer = context.out.sanitizer;
    this.asker = new Asker(context);
    this.draft = new Draft(context.profile.service);
  }

  /** Sends a request in the form known so far, or in the form of `file` to try something out. */
  async ask(id: OperationId, question: Question = {}, file: ServiceFile = this.draft.file): Promise<Reply> {
    const reply = await this.asker.operation(id, file, question);
    this.replies.push(reply);
    return reply;
  }

  /**
   * Records a difference. If it is certain and valid in a service file, later requests use it. What contains a secret is
   * neither used nor proposed.
   */
  differs(finding: Finding): void {
    const {write, sure = false, evidence} = finding;
    if (hasSecret(write, this.#sanitizer)) {
      const open = {...finding, write: undefined, sure: false};
      this.found.push({...open, evidence: `${evidence}; not proposed, because it contains a secret`});
      return;
    }
    const isTaken = write !== undefined && sure && this.draft.add(write);
    this.found.push(write !== undefined && sure && !isTaken ? {...finding, sure: false} : finding);
  }
}

/** The row of the assumption about the route of an operation. */
export function rowOf(id: OperationId): number | undefined {
  const {origin, prefix} = findOperation(id)!; // ids are checked by type
  if (origin.kind === 'assumed') return origin.row;
  return prefix?.origin.kind === 'assumed' ? prefix.origin.row : undefined;
}

export const resourceOf = (id: OperationId): string => id.slice(0, id.indexOf('.'));
export const isGood = ({status}: Reply): boolean => status >= 200 && status < 300;
/** The service has no such route. */
export const isMissing = ({status}: Reply): boolean => status === 404 || status === 405 || status === 501;
