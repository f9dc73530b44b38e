import { PauseRequest, ResumeRequest } from '@proctor/resources';
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ManyRuns, QueuesAndWorkers, requestOf } from '@proctor/administration';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import { badRequest } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { QueuesService } from '../../queues/queues.service';
import { PRIORITY_RANGE } from '../../runs/priority';
import { pauseSentence } from '../machines/decision-view';
import type { Page, Redirect } from '../layout/page';
import { administratorOf, AdminPages, ask, TakesAdminForm, tell } from './admin-pages';
import { PauseForm, ResumeForm, RunsForm } from './forms';
import { runs, selectionQuestion } from './selection-view';

const HERE = '/admin/queues/';

/** Suite queues are held back and go on; their runs are cancelled and get other priorities. */
@Controller('admin/queues')
@Requires('nothing')
@AdminPages()
export class QueuesPageController {
  constructor(
    private readonly queues: QueuesService,
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly manyRuns: ManyRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async page(): Promise<Page> {
    const [queues, { pauses }] = await Promise.all([this.queues.list(true), this.queuesAndWorkers.list()]);
    const { suites, architectures } = this.configuration.server;
    const told = pauses.map((pause) => ({ ...pause, sentence: pauseSentence(pause) }));
    return { template: 'admin/queues', data: { queues, pauses: told, suites, architectures } };
  }

  @Post('pause')
  @HttpCode(200)
  @TakesAdminForm()
  async pause(@Sent() form: PauseForm, @Req() request: ContextRequest): Promise<Redirect> {
    await this.queuesAndWorkers.pause(requestOf(PauseRequest, form), administratorOf(request));
    return { redirectTo: HERE };
  }

  @Post('resume')
  @HttpCode(200)
  @TakesAdminForm()
  async resume(@Sent() form: ResumeForm, @Req() request: ContextRequest): Promise<Redirect> {
    await this.queuesAndWorkers.resume(requestOf(ResumeRequest, form), administratorOf(request));
    return { redirectTo: HERE };
  }

  @Post('cancel')
  @HttpCode(200)
  @TakesAdminForm()
  async cancel(@Sent() form: RunsForm, @Req() request: ContextRequest): Promise<Page> {
    if (form.confirmed !== 'true') {
      const counts = await this.manyRuns.previewOfCancel(form, null);
      if (counts.length === 0) return nothing('No unfinished run matches.');
      return ask(selectionQuestion('cancel', form, counts));
    }
    const cancelled = await this.manyRuns.cancel(form, administratorOf(request), null);
    return tell({ title: 'Runs cancelled', lead: `Cancelled: ${runs(cancelled.length)}.`, back: HERE });
  }

  @Post('priority')
  @HttpCode(200)
  @TakesAdminForm()
  async reprioritise(@Sent() form: RunsForm, @Req() request: ContextRequest): Promise<Page> {
    const { priority } = form;
    if (priority === undefined) throw badRequest(`priority is missing: it is ${PRIORITY_RANGE}.`);
    if (form.confirmed !== 'true') {
      const counts = await this.manyRuns.previewOfReprioritise(form, priority, null);
      if (counts.length === 0) return nothing('No waiting run matches that has another priority.');
      return ask(selectionQuestion('priority', form, counts));
    }
    const changed = await this.manyRuns.reprioritise(form, priority, administratorOf(request), null);
    const lead = `The priority of ${runs(changed.length)} is ${priority} now.`;
    return tell({ title: 'Priority changed', lead, back: HERE });
  }
}

function nothing(lead: string): Page {
  return tell({ title: 'Nothing to change', lead, back: HERE });
}
