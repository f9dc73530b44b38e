import { Inject, Injectable } from '@nestjs/common';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { Submissions } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { DispatcherLine } from '../dispatchers/dispatcher-line';
import { accept } from './accept';
import type { IgnoredItem } from './accept';
import type { Order } from './order';

/** The body of a 201. */
export interface SubmissionAnswer {
  runs: { run_id: number; package: string; suite: string; arch: string }[];
  ignored: IgnoredItem[];
  warnings: string[];
}

@Injectable()
export class SubmissionService {
  constructor(
    private readonly submissions: Submissions,
    private readonly line: DispatcherLine,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Accepts an order as a whole: when this resolves, its runs are committed and the dispatcher was told.
   * @throws Problem 400 when an item is at fault: nothing was created
   */
  async submit(order: Order, suite: string, arch: string, requestor: Requestor): Promise<SubmissionAnswer> {
    const { runs, ignored, warnings } = accept(order, suite, arch, requestor.userName, this.configuration);
    const { userId, keyId } = requestor;
    const runIds = runs.length > 0 ? await this.submissions.submit(runs, { userId, keyId }) : [];
    // Only a hint: a dispatcher that misses it finds the rows by itself.
    if (runIds.length > 0)
      this.line.signal(subjectOf(SUBJECTS.runsSubmitted, arch), { count: runIds.length });
    return {
      runs: runs.map((run, index) => ({ run_id: runIds[index]!, package: run.package, suite, arch })),
      ignored,
      warnings,
    };
  }
}
