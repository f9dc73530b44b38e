/** The number of runs that a notice names of each kind. */
const NAMED_MAX = 10;

/** What became of several runs. */
export interface RunsOutcome {
  /** The runs that were made or changed. */
  doneIds: number[];
  refusals: { runId: number; reason: string }[];
}

/**
 * The notice after several runs were changed. It names the runs, and for the refused ones the reason.
 * @param change what happened to each of them, such as `cancelled`
 */
export function changesNotice(change: string, { doneIds, refusals }: RunsOutcome): string {
  const names = listOf(
    doneIds.slice(0, NAMED_MAX).map((runId) => `run ${runId}`),
    doneIds.length,
  );
  const summary =
    doneIds.length === 0 ? 'Nothing was changed.' : `${runsOf(doneIds.length)} ${change}: ${names}.`;
  const skipped = refusals
    .slice(0, NAMED_MAX)
    .map(({ runId, reason }) => `Run ${runId} was skipped. ${reason}`);
  const rest = refusals.length - skipped.length;
  return [summary, ...skipped, ...(rest > 0 ? [`${runsOf(rest)} more skipped.`] : [])].join(' ');
}

function listOf(names: string[], count: number): string {
  return names.length < count ? `${names.join(', ')} and ${count - names.length} more` : names.join(', ');
}

/** `3 runs` */
export function runsOf(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
