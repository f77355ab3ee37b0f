import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {TruthRecord} from '../../../batch/truth-service.ts';
import {Desk} from './desk.ts';

/** Batch a has paid, and `status a --refresh` has shown the record of A-2 as failed. */
export class FormerDesk extends Desk {
  #former: TruthRecord | undefined;

  /** That record. */
  get former(): TruthRecord {
    assert.ok(this.#former, 'the desk was opened');
    return this.#former;
  }

  static async open(): Promise<FormerDesk> {
    const desk = FormerDesk.withTwoRows();
    await desk.batch('run ./p.csv --batch-id a --yes');
    for (const record of desk.service.byId.values()) record.status = 'settled';
    desk.#former = desk.recordsOf('A-2')[0]!;
    desk.former.status = 'failed';
    assert.equal((await desk.batch('status a --refresh')).exitCode, 8);
    return desk;
  }

  recordsOf(reference: string): TruthRecord[] {
    return [...this.service.byId.values()].filter(({body}) =>
      JSON.stringify(body).includes(`"${reference}"`),
    );
  }

  paysOnce(reference = 'A-2'): void {
    const paid = this.recordsOf(reference).filter(
      ({approvals, status}) => approvals > 0 && status !== 'failed',
    );
    assert.equal(paid.length, 1, `${paid.length} records have paid ${reference}`);
  }

  /** The summary of a command, with its exit code. */
  async go(line: string): Promise<Summary & {failed: number; exit: number}> {
    const ran = await this.batch(`${line} --json`);
    return {...(ran.json() as Summary & {failed: number}), exit: ran.exitCode};
  }

  /** Batch b stages. */
  async stageB(amount = '20.00'): Promise<void> {
    this.file('q.csv', [
      ['A-2', 2, amount],
      ['A-3', 3, '30.00'],
    ]);
    await this.go('run ./q.csv --batch-id b --yes --stage-only');
  }

  /** The service has no faults any more. */
  answer(): void {
    this.service.fault = () => undefined;
  }
}

/** A printed command, as it is typed at the desk. */
export const typed = (next: string | null): string => String(next).replace('remit payouts batch ', '');
