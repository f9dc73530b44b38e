import { Controller } from '@nestjs/common';
import { ManyRuns, QueuesAndWorkers, type Administrator } from '@proctor/administration';
import { PauseRequest, ResumeRequest } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import { badRequest } from '../../http/problem';
import { PRIORITY_RANGE } from '../../runs/priority';
import { CurrentActor } from '../account/account-pages';
import { type ConfirmedAction, Form, type Question, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { QueuesPage } from '../machines/queues-page.service';
import { AdminPages, notice } from './admin-pages';
import { RunsForm } from './forms';
import type { SelectedCount } from '@proctor/database';

/** Suite queues that the question names; any others are only counted. */
const QUEUES_NAMED_MAX = 20;

/**
 * The question before the selected runs are changed.
 * @param priority the new priority; null to cancel the runs
 */
export function selectionQuestion(priority: number | null, counts: SelectedCount[]): Question {
  const [waiting, executed] = [sum(counts, 'waiting'), sum(counts, 'executed')];
  const many = runs(waiting + executed);
  const byQueue = `By queue: ${queuesOf(counts)}.`;
  if (priority === null) {
    const lead = `They end at once as tmpfail: ${waiting} waiting, ${executed} running. ${byQueue}`;
    return { title: `Cancel ${many}?`, lead, button: `Cancel ${many}` };
  }
  return {
    title: `Give ${many} the priority ${priority}?`,
    lead: `Only waiting runs that have another priority are changed. ${byQueue}`,
    button: 'Change the priority',
  };
}

/** A number of runs in words: `one run`, `12 runs`. */
export function runs(count: number): string {
  return count === 1 ? 'one run' : `${count} runs`;
}

function queuesOf(counts: SelectedCount[]): string {
  const names = counts
    .slice(0, QUEUES_NAMED_MAX)
    .map(({ suite, arch, waiting, executed }) => `${suite}/${arch} ${waiting + executed}`);
  const others = counts.length - names.length;
  return names.join(', ') + (others > 0 ? ` and ${others} more queues` : '');
}

function sum(counts: SelectedCount[], field: 'waiting' | 'executed'): number {
  return counts.reduce((total, count) => total + count[field], 0);
}

const HERE = '/status/queue/';
const QUEUES = { then: HERE, page: (pages: AdminQueuesController) => pages.page() };

/** What administrators decide about suite queues and their runs. The forms are on the page of the queues. */
@Controller('admin/queues')
@Requires('nothing')
@AdminPages()
export class AdminQueuesController {
  constructor(
    private readonly pages: QueuesPage,
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly manyRuns: ManyRuns,
  ) {}

  page(): Promise<Page> {
    return this.pages.queuesPage(true);
  }

  @Form('pause', QUEUES)
  async pause(@SentForm() form: PauseRequest, @CurrentActor() by: Administrator): Promise<string> {
    await this.queuesAndWorkers.pause(form, by);
    return 'The pause begins now.';
  }

  @Form('resume', QUEUES)
  async resume(@SentForm() form: ResumeRequest, @CurrentActor() by: Administrator): Promise<string> {
    await this.queuesAndWorkers.resume(form, by);
    return 'The pause is over.';
  }

  @Form('cancel', QUEUES)
  cancel(@SentForm() form: RunsForm, @CurrentActor() by: Administrator): ConfirmedAction {
    return {
      question: async () => {
        const counts = await this.manyRuns.previewOfCancel(form, null);
        if (counts.length === 0) return nothing('No unfinished run matches.');
        return selectionQuestion(null, counts);
      },
      act: async () => {
        const cancelled = await this.manyRuns.cancel(form, by, null);
        return notice({ title: 'Runs cancelled', lead: `Cancelled: ${runs(cancelled.length)}.`, back: HERE });
      },
    };
  }

  @Form('priority', QUEUES)
  reprioritise(@SentForm() form: RunsForm, @CurrentActor() by: Administrator): ConfirmedAction {
    const { priority } = form;
    if (priority === undefined) throw badRequest(`priority is missing: it is ${PRIORITY_RANGE}.`);
    return {
      question: async () => {
        const counts = await this.manyRuns.previewOfReprioritise(form, priority, null);
        if (counts.length === 0) return nothing('No waiting run matches that has another priority.');
        return selectionQuestion(priority, counts);
      },
      act: async () => {
        const runIds = await this.manyRuns.reprioritise(form, priority, by, null);
        const lead = `The priority of ${runs(runIds.length)} is ${priority} now.`;
        return notice({ title: 'Priority changed', lead, back: HERE });
      },
    };
  }
}

function nothing(lead: string): Page {
  return notice({ title: 'Nothing to change', lead, back: HERE });
}
