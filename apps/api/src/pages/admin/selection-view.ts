import type { SelectedCount } from '@proctor/database';
import type { Question } from './admin-pages';
import type { RunsForm } from './forms';

const FIELDS = ['run_ids', 'package', 'trigger', 'suite', 'arch', 'reason', 'priority'] as const;

/** Suite queues that the question names; the others are counted. */
const QUEUES_NAMED_MAX = 20;

/** What is asked before selected runs are cancelled, or get the priority of the form. */
export function selectionQuestion(
  what: 'cancel' | 'priority',
  form: RunsForm,
  counts: SelectedCount[],
): Question {
  const [waiting, executed] = [sum(counts, 'waiting'), sum(counts, 'executed')];
  const many = runs(waiting + executed);
  const isCancel = what === 'cancel';
  const outcome = isCancel
    ? `They end as tmpfail at once: ${waiting} wait, ${executed} are executed.`
    : 'Only waiting runs that have another priority are changed.';
  return {
    title: isCancel ? `Cancel ${many}?` : `Give ${many} the priority ${form.priority}?`,
    lead: `${outcome} By queue: ${queuesOf(counts)}.`,
    action: `/admin/queues/${what}`,
    fields: FIELDS.flatMap((name): Question['fields'] => {
      const value = form[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]];
    }),
    button: isCancel ? `Cancel ${many}` : 'Change the priority',
    back: '/admin/queues/',
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
