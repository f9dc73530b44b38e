import type { SelectedCount } from '@proctor/database';
import type { Question } from '../layout/form-action';

/** Suite queues that the question names; the others are counted. */
const QUEUES_NAMED_MAX = 20;

/**
 * The question before selected runs change.
 * @param priority that they get; null: they are cancelled
 */
export function selectionQuestion(priority: number | null, counts: SelectedCount[]): Question {
  const [waiting, executed] = [sum(counts, 'waiting'), sum(counts, 'executed')];
  const many = runs(waiting + executed);
  const byQueue = `By queue: ${queuesOf(counts)}.`;
  if (priority === null) {
    const lead = `They end as tmpfail at once: ${waiting} wait, ${executed} are executed. ${byQueue}`;
    return { title: `Cancel ${many}?`, lead, button: `Cancel ${many}` };
  }
  return {
    title: `Give ${many} the priority ${priority}?`,
    lead: `Only waiting runs that have another priority are changed. ${byQueue}`,
    button: 'Change the priority',
  };
}

/** In words: `one run`, `12 runs`. */
export function runs(count: number): string {
  return count === 1 ? 'one run' : `${count} runs`;
}

function queuesOf(counts: SelectedCount[]): string {
  const named = counts
    .slice(0, QUEUES_NAMED_MAX)
    .map(({ suite, arch, waiting, executed }) => `${suite}/${arch} ${waiting + executed}`);
  const others = counts.length - named.length;
  return named.join(', ') + (others > 0 ? ` and ${others} more queues` : '');
}

function sum(counts: SelectedCount[], field: 'waiting' | 'executed'): number {
  return counts.reduce((total, count) => total + count[field], 0);
}
