import { ManyRuns, requestOf, Selection } from '@proctor/administration';
import { BrokenOff } from '@proctor/database';
import { decide } from '../administration';

type Selectors = Omit<Selection, 'run_ids'> & { by: string };

/**
 * Prints the ids of the runs that it ended, one a line.
 * @throws UnknownUser; Refusal, also when nothing says which runs are meant
 */
export async function cancelRuns(
  runIds: number[] | undefined,
  { by, ...selectors }: Selectors,
): Promise<void> {
  const selection = selectionOf(runIds, selectors);
  const what = `cancelled by ${by}`;
  const cancelled = await decide(by, (get, administrator) =>
    get(ManyRuns).cancel(selection, administrator, null).catch(tellDone(what)),
  );
  tell(cancelled, what);
}

/** The same for the ids of the waiting runs that have another priority now. */
export async function changePriority(
  priority: number,
  runIds: number[] | undefined,
  { by, ...selectors }: Selectors,
): Promise<void> {
  const selection = selectionOf(runIds, selectors);
  const what = `given priority ${priority} by ${by}`;
  const changed = await decide(by, (get, administrator) =>
    get(ManyRuns).reprioritise(selection, priority, administrator, null).catch(tellDone(what)),
  );
  tell(changed, what);
}

function selectionOf(runIds: number[] = [], selectors: Omit<Selection, 'run_ids'>): Selection {
  return requestOf(Selection, { ...selectors, ...(runIds.length > 0 && { run_ids: runIds }) });
}

/** What was done before the rest failed stays done. */
function tellDone(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof BrokenOff) tell(error.done, `${what}; the same command goes on with the rest`);
    throw error;
  };
}

function tell(runIds: number[], what: string): void {
  for (const runId of runIds) console.log(runId);
  const count = runIds.length === 1 ? '1 run was' : `${runIds.length === 0 ? 'no' : runIds.length} runs were`;
  console.error(`${count} ${what}`);
}
