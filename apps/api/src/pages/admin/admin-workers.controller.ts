import { Controller, Get, Param } from '@nestjs/common';
import { QueuesAndWorkers, Register } from '@proctor/administration';
import type { Administrator } from '@proctor/administration';
import { CredentialsRequest, RevokeRequest } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import type { ContextRequest } from '../../http/request-context';
import { CurrentActor } from '../account/account-pages';
import { type ConfirmedAction, Form, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { AdminPages, notice } from './admin-pages';
import { DrainForm, NewWorkerForm, ReasonForm } from './forms';
import { WorkersPageService } from './workers-page.service';

const WORKER = {
  then: '/admin/workers/:name',
  page: (pages: AdminWorkersController, { params }: ContextRequest) => pages.page(String(params['name'])),
};

/** The pages of the workers: registration, state, and quarantine. */
@Controller('admin/workers')
@Requires('nothing')
@AdminPages()
export class AdminWorkersController {
  constructor(
    private readonly pages: WorkersPageService,
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly register: Register,
  ) {}

  @Get()
  list(): Promise<Page> {
    return this.pages.list();
  }

  @Get(':name')
  page(@Param('name') name: string): Promise<Page> {
    return this.pages.page(name);
  }

  @Form('', { status: 201, page: (pages: AdminWorkersController) => pages.list() })
  async add(@SentForm() form: NewWorkerForm, @CurrentActor() by: Administrator): Promise<Page> {
    return workerNotice(form.name, 'is registered', await this.register.add(form, by));
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
      act: async () => workerNotice(name, 'has new credentials', await this.register.rotate(name, form, by)),
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
        const { busy } = await this.pages.worker(name);
        const tests = busy === 1 ? 'One test that it executes is' : `${busy} tests that it executes are`;
        const lead = `From now on it may do nothing. ${tests} stopped, and wait again.`;
        return { title: `Revoke worker ${name}?`, lead, button: 'Revoke it' };
      },
      act: async () => workerNotice(name, 'is revoked', await this.register.revoke(name, form, by)),
    };
  }

  @Form(':name/drain', WORKER)
  async drain(
    @Param('name') worker: string,
    @SentForm() { reason, deadline_minutes: minutes }: DrainForm,
    @CurrentActor() by: Administrator,
  ): Promise<void> {
    await this.pages.worker(worker);
    const deadline = minutes === undefined ? {} : { deadline_seconds: minutes * 60 };
    await this.queuesAndWorkers.drain({ worker, reason, ...deadline }, by);
  }

  @Form(':name/undrain', WORKER)
  async undrain(
    @Param('name') worker: string,
    @SentForm() form: RevokeRequest,
    @CurrentActor() by: Administrator,
  ): Promise<void> {
    await this.queuesAndWorkers.undrain({ worker, ...form }, by);
  }

  @Form(':name/quarantine', WORKER)
  async quarantine(
    @Param('name') worker: string,
    @SentForm() form: ReasonForm,
    @CurrentActor() by: Administrator,
  ): Promise<void> {
    await this.queuesAndWorkers.quarantine({ worker, ...form }, by);
  }

  @Form(':name/trust', WORKER)
  async trust(
    @Param('name') worker: string,
    @SentForm() form: RevokeRequest,
    @CurrentActor() by: Administrator,
  ): Promise<void> {
    await this.queuesAndWorkers.trust({ worker, ...form }, by);
  }
}

/** The page after a change of a worker. @param done has the new credentials, if any */
function workerNotice(
  name: string,
  what: string,
  { credentials, notice: rest }: { credentials?: object; notice: string | null },
): Page {
  const file = credentials === undefined ? '' : ' The content of its credentials file:';
  const lead = `Worker ${name} ${what}.${rest === null ? '' : ` To do yet: ${rest}`}${file}`;
  const secret = credentials === undefined ? {} : { secret: JSON.stringify(credentials, null, 2) };
  return notice({ title: `Worker ${name}`, lead, back: '/admin/workers/', ...secret });
}
