import { BrokenOff, type RunSelection } from '@proctor/database';
import type { Command } from 'commander';
import { decide } from './decider';

interface Selectors extends Pick<RunSelection, 'package' | 'trigger' | 'suite' | 'arch'> {
  reason?: string;
  by: string;
}

/**
 * Prints the ids of the runs that it ended, one a line.
 * @throws UnknownUser; CommanderError when nothing says which runs are meant
 */
export async function cancelRuns(
  runIds: number[] | undefined,
  { reason, by, ...selectors }: Selectors,
  command: Command,
): Promise<void> {
  const selection = selectionOf(runIds, selectors, command);
  const what = `cancelled by ${by}`;
  const cancelled = await decide(by, ({ cancellations }, decider) =>
    cancellations.cancelMatching(selection, decider, reason).catch(tellDone(what)),
  );
  tell(cancelled, what);
}

/** The same for the ids of the waiting runs that have another priority now. */
export async function changePriority(
  priority: number,
  runIds: number[] | undefined,
  { reason, by, ...selectors }: Selectors,
  command: Command,
): Promise<void> {
  const selection = selectionOf(runIds, selectors, command);
  const what = `given priority ${priority} by ${by}`;
  const changed = await decide(by, ({ decisions }, decider) =>
    decisions.reprioritise(selection, priority, decider, reason).catch(tellDone(what)),
  );
  tell(changed, what);
}

function selectionOf(
  runIds: number[] = [],
  selectors: Omit<RunSelection, 'runIds'>,
  command: Command,
): RunSelection {
  const selection = { ...selectors, ...(runIds.length > 0 && { runIds }) };
  if (Object.keys(selection).length > 0) return selection;
  return command.error(
    'error: ids of runs, --package, --trigger, --suite or --arch must say which runs are meant',
  );
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
