import { Injectable } from '@nestjs/common';
import { ruleSentence } from '@proctor/contracts';
import { RemovedRuns, type RunReader } from '@proctor/database';
import { isOwn } from '../auth/run-reader';
import { Problem } from '../http/problem';
import { noSuchRun } from '../http/path-ids';

/** The answers for runs without a row. */
@Injectable()
export class MissingRuns {
  constructor(private readonly removedRuns: RemovedRuns) {}

  /** @returns 410 with the rule if the run was removed and the reader may know of it, else 404 */
  async problem(runId: number, reader: RunReader): Promise<Problem> {
    const removal = await this.removedRuns.find(runId);
    if (removal === null) return noSuchRun(runId);
    const { owner, removedBy } = removal;
    const maySee = owner === null || reader.everything === true || isOwn(reader, owner);
    if (!maySee) return noSuchRun(runId);
    return new Problem(410, `Run ${runId} was removed: ${ruleSentence(removedBy)}.`);
  }
}
