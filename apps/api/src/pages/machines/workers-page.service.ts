import { Injectable } from '@nestjs/common';
import { QueuesAndWorkers, Register } from '@proctor/administration';
import { HourFigures, WorkerPages } from '@proctor/database';
import type { NewCredentials } from '@proctor/resources';
import { loadPart } from '../../http/parts';
import { WorkersService } from '../../workers/workers.service';
import type { Page } from '../layout/page';
import { decisionsView } from './decision-view';
import { firstHour, HOUR_SPAN, workerHoursView } from './hours-view';
import { newWorkerView } from './new-worker-view';
import { workerView } from './worker-view';
import { workersView } from './workers-view';

const WORKERS_SHOWN_MAX = 100;

/** The pages of workers. For administrators they count private runs, and have the forms of their decisions. */
@Injectable()
export class WorkersPage {
  constructor(
    private readonly workers: WorkersService,
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly register: Register,
    private readonly pages: WorkerPages,
    private readonly figures: HourFigures,
  ) {}

  /** @param after the last worker of the previous page; empty on the first */
  async workersPage(after: string, isAdmin: boolean): Promise<Page> {
    const read = (limit: number) => this.workers.summaries(isAdmin, after, limit);
    const [part, admin] = await Promise.all([
      loadPart(WORKERS_SHOWN_MAX, read, ({ name }) => name),
      isAdmin ? this.decisions() : Promise.resolve(null),
    ]);
    return { template: 'machines/workers', data: { ...workersView(part, after, admin?.drained), admin } };
  }

  /**
   * @param created the credentials that were created just now; the page shows them with the commands to type
   * @throws Problem 404 when there is no such worker
   */
  async workerPage(name: string, isAdmin: boolean, created: NewCredentials | null = null): Promise<Page> {
    const now = new Date();
    const first = firstHour(now, HOUR_SPAN);
    const [details, hours, machineHours, records, { drains }] = await Promise.all([
      this.workers.details(name, isAdmin),
      this.pages.hours(name, first),
      this.figures.listMachineHours(name, first, isAdmin),
      isAdmin ? this.register.list() : Promise.resolve([]),
      isAdmin ? this.queuesAndWorkers.list() : Promise.resolve({ drains: [] }),
    ]);
    const drain = drains.find(({ worker }) => worker === name) ?? null;
    const record = records.find((each) => each.name === name) ?? null;
    const admin = isAdmin ? decisionsView(details, record) : null;
    const steps = created && newWorkerView(created, record?.architectures ?? []);
    const byHour = workerHoursView(hours, machineHours, first, now);
    return { template: 'machines/worker', data: { ...workerView(details, drain), byHour, admin, steps } };
  }

  /** The names of workers that were revoked, and of those that are drained. */
  private async decisions() {
    const [records, { drains }] = await Promise.all([this.register.list(), this.queuesAndWorkers.list()]);
    const revoked = records.filter(({ revokedAt }) => revokedAt !== null).map(({ name }) => name);
    return { revoked, drained: drains.map(({ worker }) => worker) };
  }

  /** @throws Problem 404 when there is no such worker */
  async countBusySlots(name: string): Promise<number> {
    const { offers } = await this.workers.details(name, true);
    return offers.reduce((sum, { busy }) => sum + busy, 0);
  }
}
