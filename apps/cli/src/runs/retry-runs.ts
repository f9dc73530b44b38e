import type { PublishedRunList } from '@proctor/resources';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';
import { awaitRuns, type WaitOptions } from './wait';

/**
 * Repeats runs one after the other, and prints those that were repeated even if others could not be. @throws Failure if
 * one could not be repeated
 */
export async function retryRuns(
  runIds: number[],
  options: ServiceOptions & OutputOptions & WaitOptions & { wait: boolean },
): Promise<void> {
  const service = await Service.find(options);
  const repeated: { run_id: number; new_run_id: number }[] = [];
  const refusals: Failure[] = [];
  for (const runId of runIds) {
    try {
      const answer = await service.create<{ run_id: number }>(`/retry/${runId}`);
      repeated.push({ run_id: runId, new_run_id: answer.run_id });
    } catch (error) {
      if (!(error instanceof Failure) || error.code === EXIT.tryLater) {
        printAnswer(repeated, options, printRepeated);
        throw error;
      }
      refusals.push(error);
      printNotice(error.message);
    }
  }
  if (!options.wait) printAnswer(repeated, options, printRepeated);
  else if (repeated.length > 0) {
    const newIds = repeated.map((each) => each.new_run_id);
    printNotice(`asked for ${newIds.map((id) => `run ${id}`).join(', ')}`);
    await awaitRuns(service, newIds, options);
  }
  const [first] = refusals;
  if (first)
    throw new Failure(`${refusals.length} of ${runIds.length} not repeated`, first.code, first.advice);
}

function printRepeated(repeated: { run_id: number; new_run_id: number }[]): void {
  if (repeated.length === 0) return;
  printTable(
    repeated,
    [
      { head: 'RUN', of: (each) => each.run_id },
      { head: 'NEW RUN', of: (each) => each.new_run_id },
    ],
    '',
  );
}

/** @throws Failure if one of them is no private run of the key */
export async function publishRuns(runIds: number[], options: ServiceOptions & OutputOptions): Promise<void> {
  const service = await Service.find(options);
  const answer = await service.post<PublishedRunList>('/test/publish', { run_ids: runIds.join(',') });
  printAnswer(answer, options, ({ published }) =>
    printTable(published, [{ head: 'PUBLISHED RUN', of: (id) => id }], 'nothing was published'),
  );
  const { ignored } = answer;
  if (ignored.length === 0) return;
  const what = ignored.length === 1 ? `run ${ignored[0]} is` : `runs ${ignored.join(', ')} are`;
  throw new Failure(
    `${what} not published: not a private run of this key`,
    EXIT.failed,
    `proctor run show ${ignored[0]} says what it is`,
  );
}
