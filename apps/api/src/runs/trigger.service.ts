import { Inject, Injectable } from '@nestjs/common';
import { describe, timestamp } from '@proctor/contracts';
import { type RunReader, type Trigger, TRIGGER_RUNS_MAX, TriggerRuns } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { notFound, type Problem } from '../http/problem';
import { inSlices } from '../http/slices';
import { QueuesService } from '../queues/queues.service';
import { resultObject, statusOf } from './result-object';
import { type TriggerProgress, triggerProgress, type TriggerTest } from './trigger-groups';
import { selectedTests, type TriggerSelection } from './trigger-plan';

/** The longest name of a trigger in a search. */
const NAME_LENGTH_MAX = 254;

/** Some tests of a trigger. */
interface TestPart {
  tests: TriggerTest[];
  /** The run id of the last test on this page; null on the last page. */
  before: number | null;
}

/** The progress of a new version of a package in the tests that it has triggered. */
@Injectable()
export class TriggerService {
  constructor(
    private readonly triggerRuns: TriggerRuns,
    private readonly queues: QueuesService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * The progress of the newest runs of a trigger, which are all but in a trigger of more than TRIGGER_RUNS_MAX runs.
   * @throws Problem 404 if the reader may see no run of the trigger
   */
  async progress(name: string, reader: RunReader): Promise<TriggerProgress & { isCut: boolean }> {
    const runs = isTriggerName(name) ? await this.triggerRuns.of(name, reader) : [];
    if (runs.length === 0) throw noSuchTrigger(name);
    const queues = await this.queues.list(reader.everything ?? false);
    return { ...(await inSlices(triggerProgress(runs, queues))), isCut: runs.length === TRIGGER_RUNS_MAX };
  }

  /** @throws Problem 404 if the reader may see no run of the trigger */
  async checkVisible(name: string, reader: RunReader): Promise<void> {
    if (isTriggerName(name) && (await this.triggerRuns.version(name, reader)) !== '') return;
    throw noSuchTrigger(name);
  }

  /**
   * The progress of a trigger in the form of the API, with one page of the selected tests.
   * @throws Problem 404 if the reader may see no run of the trigger
   */
  async object(
    name: string,
    reader: RunReader,
    selection: TriggerSelection,
    page: { before: number | null; limit: number },
  ) {
    const { neutral } = this.configuration.server;
    const { tests, total, done, counts, arches, isCut } = await this.progress(name, reader);
    const part = testPart(selectedTests(tests, selection), page.before, page.limit);
    const groups = new Map(part.tests.map(({ group, run }) => [run.runId, group]));
    const runs = await this.triggerRuns.whole(part.tests.map(({ run }) => run));
    return {
      trigger: name,
      total,
      done,
      counts,
      architectures: arches.map(({ arch, total, waiting, estimateSeconds }) => {
        return { arch, total, waiting, estimate_seconds: estimateSeconds };
      }),
      is_cut: isCut,
      tests: runs.map((run) => ({
        group: groups.get(run.runId)!,
        result: resultObject(run, neutral),
        signature: run.errorSignature,
        reference: run.reference && {
          run_id: run.reference.runId,
          status: statusOf(run.reference.verdict, neutral),
          version: run.reference.version,
          date: timestamp(run.reference.date),
        },
      })),
      before: part.before,
    };
  }

  /** Public triggers as the API shows them, the newest first. */
  async list(part: string, limit: number, before: number | null) {
    const page = await this.triggerRuns.list(part, limit, before);
    return { triggers: page.triggers.map(triggerObject), before: page.before };
  }
}

/** Whether a trigger can have this name. */
export function isTriggerName(text: string): boolean {
  return text.length <= NAME_LENGTH_MAX && !/[\0 ]/.test(text) && !text.startsWith('migration-reference/');
}

function noSuchTrigger(name: string): Problem {
  return notFound(`No run was triggered by ${describe(name)}.`);
}

/**
 * @param before the run id of the last test on the previous page; null for the first page
 * @throws Problem 404 if no test has it
 */
export function testPart(tests: TriggerTest[], before: number | null, limit: number): TestPart {
  const last = before === null ? -1 : tests.findIndex(({ run }) => run.runId === before);
  if (before !== null && last < 0) throw notFound(`Run ${before} is not among the selected tests.`);
  const page = tests.slice(last + 1, last + 1 + limit);
  return { tests: page, before: last + 1 + limit < tests.length ? page.at(-1)!.run.runId : null };
}

function triggerObject({ name, runs, unfinished, failedRuns: failures, firstAt, lastAt }: Trigger) {
  return {
    trigger: name,
    runs,
    unfinished,
    failed: failures,
    first_at: timestamp(firstAt),
    last_at: timestamp(lastAt),
    page_url: triggerPath(name),
  };
}

export function triggerPath(name: string): string {
  return `/triggers/${name.split('/').map(encodeURIComponent).join('/')}`;
}
