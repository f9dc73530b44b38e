import { Controller, Get, Inject, Param } from '@nestjs/common';
import { QueuesAndWorkers, Register } from '@proctor/administration';
import type { Administrator } from '@proctor/administration';
import { CredentialsRequest, RevokeRequest } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import type { ContextRequest } from '../../http/request-context';
import { CurrentActor } from '../account/account-pages';
import { type ConfirmedAction, Form, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { isLoopbackUrl } from '../machines/new-worker-view';
import { WorkersPage } from '../machines/workers-page.service';
import { AdminPages } from './admin-pages';
import { DrainForm, NewWorkerForm } from './forms';

const WORKER = {
  then: '/status/workers/:name',
  page: (pages: AdminWorkersController, { params }: ContextRequest) => pages.worker(String(params['name'])),
};

/** These forms are in the list of workers, too. */
const LISTED_WORKER = {
  ...WORKER,
  list: { then: '/status/workers/', page: (pages: AdminWorkersController) => pages.list() },
};

/** What administrators decide about workers. The forms are on the page of the worker; that of a new one is here. */
@Controller('admin/workers')
@Requires('nothing')
@AdminPages()
export class AdminWorkersController {
  constructor(
    private readonly pages: WorkersPage,
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly register: Register,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async page(): Promise<Page> {
    const access = await this.register.findAccess();
    const isLoopback = access.url !== null && isLoopbackUrl(access.url);
    const { architectures } = this.configuration.server;
    return { template: 'admin/new-worker', data: { access: { ...access, isLoopback }, architectures } };
  }

  list(): Promise<Page> {
    return this.pages.workersPage('', true);
  }

  worker(name: string): Promise<Page> {
    return this.pages.workerPage(name, true);
  }

  @Form('', { status: 201, page: (pages: AdminWorkersController) => pages.page() })
  async add(@SentForm() form: NewWorkerForm, @CurrentActor() by: Administrator): Promise<Page> {
    return this.pages.workerPage(form.name, true, await this.register.add(form, by));
  }

  @Form(':name/rotate', WORKER)
  rotate(
    @Param('name') name: string,
    @SentForm() form: CredentialsRequest,
    @CurrentActor() by: Administrator,
  ): ConfirmedAction {
    return {
      question: () => ({
        title: `New credentials for ${name}?`,
        lead: 'Its present credentials are no longer valid: it is disconnected until the new ones are on its machine. Its tests go on in that time.',
        button: 'Give it new ones',
      }),
      act: async () => this.pages.workerPage(name, true, await this.register.rotate(name, form, by)),
    };
  }

  @Form(':name/revoke', WORKER)
  revoke(
    @Param('name') name: string,
    @SentForm() form: RevokeRequest,
    @CurrentActor() by: Administrator,
  ): ConfirmedAction {
    return {
      question: async () => {
        const busy = await this.pages.countBusySlots(name);
        const tests = busy === 1 ? 'One test that runs on it is' : `${busy} tests that run on it are`;
        const lead = `From now on it may do nothing. ${tests} stopped, and wait again.`;
        return { title: `Revoke worker ${name}?`, lead, button: 'Revoke it' };
      },
      act: async () => {
        const { notice } = await this.register.revoke(name, form, by);
        return `${name} is revoked.${notice === null ? '' : ` To do yet: ${notice}`}`;
      },
    };
  }

  @Form(':name/drain', LISTED_WORKER)
  async drain(
    @Param('name') worker: string,
    @SentForm() { reason, deadline_minutes: minutes }: DrainForm,
    @CurrentActor() by: Administrator,
  ): Promise<string> {
    await this.worker(worker);
    const deadline = minutes === undefined ? {} : { deadline_seconds: minutes * 60 };
    await this.queuesAndWorkers.drain({ worker, reason, ...deadline }, by);
    return `${worker} gets no new runs.`;
  }

  @Form(':name/undrain', LISTED_WORKER)
  async undrain(
    @Param('name') worker: string,
    @SentForm() form: RevokeRequest,
    @CurrentActor() by: Administrator,
  ): Promise<string> {
    await this.worker(worker);
    await this.queuesAndWorkers.undrain({ worker, ...form }, by);
    return `${worker} gets runs again.`;
  }

  @Form(':name/quarantine', LISTED_WORKER)
  async quarantine(
    @Param('name') worker: string,
    @SentForm() form: DrainForm,
    @CurrentActor() by: Administrator,
  ): Promise<string> {
    await this.queuesAndWorkers.quarantine({ worker, reason: form.reason }, by);
    return `${worker} gets no runs until a canary test passes on it.`;
  }

  @Form(':name/trust', LISTED_WORKER)
  async trust(
    @Param('name') worker: string,
    @SentForm() form: RevokeRequest,
    @CurrentActor() by: Administrator,
  ): Promise<string> {
    await this.queuesAndWorkers.trust({ worker, ...form }, by);
    return `The quarantine of ${worker} is over.`;
  }
}
