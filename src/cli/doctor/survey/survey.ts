import {findOperation} from '../../../service/routes.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {Context} from '../../core/context.ts';
import {Asker, type Question, type Said} from './asker.ts';
import {Draft} from './draft.ts';
import type {Finding} from './finding.ts';
import type {Json} from './shapes.ts';

/** Records of one list, as the service writes them and under canonical names. */
export interface Sample {
  readonly wire: readonly Json[];
  readonly canonical: readonly Json[];
}

/** What all checks of one service share. */
export class Survey {
  readonly asker: Asker;
  readonly draft: Draft;
  readonly found: Finding[] = [];
  readonly said: Said[] = [];
  readonly samples = new Map<OperationId, Sample>();

  constructor(context: Context) {
    this.asker = new Asker(context);
    this.draft = new Draft(context.profile.service);
  }

  /** Asks with all that is known by now, and with one thing more where something is tried. */
  async ask(id: OperationId, question: Question = {}, file: ServiceFile = this.draft.file): Promise<Said> {
    const said = await this.asker.operation(id, file, question);
    this.said.push(said);
    return said;
  }

  /** Notes a difference and goes on with it, where it is certain and a service file can hold it. */
  differs(finding: Finding): void {
    const {write, sure = false} = finding;
    const isTaken = write !== undefined && sure && this.draft.add(write);
    this.found.push(write !== undefined && sure && !isTaken ? {...finding, sure: false} : finding);
  }
}

/** The row of the assumption that an operation's route rests on. */
export function rowOf(id: OperationId): number | undefined {
  const {origin, prefix} = findOperation(id)!; // ids are checked by type
  if (origin.kind === 'assumed') return origin.row;
  return prefix?.origin.kind === 'assumed' ? prefix.origin.row : undefined;
}

export const resourceOf = (id: OperationId): string => id.slice(0, id.indexOf('.'));
export const isGood = ({status}: Said): boolean => status >= 200 && status < 300;
/** The path leads nowhere at this service. */
export const isMissing = ({status}: Said): boolean => status === 404 || status === 405 || status === 501;
