import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { QueuesAndWorkers, Register } from '@proctor/administration';
import { Requires } from '../../auth/authentication.middleware';
import { Sent } from '../../http/body.interceptor';
import type { ContextRequest } from '../../http/request-context';
import type { Page, Redirect } from '../layout/page';
import { administratorOf, AdminPages, ask, TakesAdminForm, tell } from './admin-pages';
import { CredentialsForm, DrainForm, EndForm, NewWorkerForm, ReasonForm } from './forms';
import { WorkersPageService } from './workers-page.service';

/** The machines: who is registered, what they do, and what is held against them. */
@Controller('admin/workers')
@Requires('nothing')
@AdminPages()
export class WorkersPageController {
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

  @Post()
  @HttpCode(201)
  @TakesAdminForm()
  async add(@Sent() form: NewWorkerForm, @Req() request: ContextRequest): Promise<Page> {
    const { credentials, notice } = await this.register.add(form, administratorOf(request));
    return told(form.name, 'is registered', JSON.stringify(credentials, null, 2), notice);
  }

  @Post(':name/rotate')
  @HttpCode(200)
  @TakesAdminForm()
  async rotate(
    @Param('name') name: string,
    @Sent() form: CredentialsForm,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    if (form.confirmed !== 'true') {
      const fields = fieldsOf([
        ['url', form.url],
        ['ca', form.ca],
        ['reason', form.reason],
      ]);
      const lead =
        'Those that it has are of no use any more: it is cut off until the new ones are on its machine. Its tests go on meanwhile.';
      const [title, button] = [`New credentials for ${name}?`, 'Give it new ones'];
      return ask({ title, lead, action: `${workerUrl(name)}/rotate`, fields, button, back: workerUrl(name) });
    }
    const { credentials, notice } = await this.register.rotate(name, form, administratorOf(request));
    return told(name, 'has new credentials', JSON.stringify(credentials, null, 2), notice);
  }

  @Post(':name/revoke')
  @HttpCode(200)
  @TakesAdminForm()
  async revoke(
    @Param('name') name: string,
    @Sent() form: EndForm,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    if (form.confirmed !== 'true') {
      const { busy } = await this.pages.worker(name);
      const tests = busy === 1 ? 'One test that it executes is' : `${busy} tests that it executes are`;
      return ask({
        title: `Revoke worker ${name}?`,
        lead: `It may do nothing any more. ${tests} stopped, and wait again.`,
        action: `${workerUrl(name)}/revoke`,
        fields: fieldsOf([['reason', form.reason]]),
        button: 'Revoke it',
        back: workerUrl(name),
      });
    }
    const { notice } = await this.register.revoke(name, form, administratorOf(request));
    return told(name, 'is revoked', null, notice);
  }

  @Post(':name/drain')
  @HttpCode(200)
  @TakesAdminForm()
  async drain(
    @Param('name') worker: string,
    @Sent() { reason, deadline_minutes: minutes }: DrainForm,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.pages.worker(worker);
    const deadline = minutes === undefined ? {} : { deadline_seconds: minutes * 60 };
    await this.queuesAndWorkers.drain({ worker, reason, ...deadline }, administratorOf(request));
    return { redirectTo: workerUrl(worker) };
  }

  @Post(':name/undrain')
  @HttpCode(200)
  @TakesAdminForm()
  async undrain(
    @Param('name') worker: string,
    @Sent() { reason }: EndForm,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.queuesAndWorkers.undrain({ worker, ...because(reason) }, administratorOf(request));
    return { redirectTo: workerUrl(worker) };
  }

  @Post(':name/quarantine')
  @HttpCode(200)
  @TakesAdminForm()
  async quarantine(
    @Param('name') worker: string,
    @Sent() { reason }: ReasonForm,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.queuesAndWorkers.quarantine({ worker, reason }, administratorOf(request));
    return { redirectTo: workerUrl(worker) };
  }

  @Post(':name/trust')
  @HttpCode(200)
  @TakesAdminForm()
  async trust(
    @Param('name') worker: string,
    @Sent() { reason }: EndForm,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.queuesAndWorkers.trust({ worker, ...because(reason) }, administratorOf(request));
    return { redirectTo: workerUrl(worker) };
  }
}

/** @param credentials the content of its file; null: none were made */
function told(name: string, what: string, credentials: string | null, notice: string | null): Page {
  const file = credentials === null ? '' : ' The content of its credentials file:';
  const lead = `Worker ${name} ${what}.${notice === null ? '' : ` To do yet: ${notice}`}${file}`;
  const done = { title: `Worker ${name}`, lead, back: '/admin/workers/' };
  return tell(credentials === null ? done : { ...done, secret: credentials });
}

function because(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Those that have a value. */
function fieldsOf(fields: [name: string, value: string | undefined][]): [string, string][] {
  return fields.filter((field): field is [string, string] => field[1] !== undefined);
}

function workerUrl(name: string): string {
  return `/admin/workers/${encodeURIComponent(name)}`;
}
