import { Injectable } from '@nestjs/common';
import { QueuesAndWorkers, Register } from '@proctor/administration';
import { describe } from '@proctor/contracts';
import { notFound } from '../../http/problem';
import { WorkersService } from '../../workers/workers.service';
import type { Page } from '../layout/page';
import { adminWorkers, workersSentence } from './admin-workers-view';
import type { AdminWorker } from './admin-workers-view';

/** What administrators see of workers. */
@Injectable()
export class WorkersPageService {
  constructor(
    private readonly register: Register,
    private readonly workers: WorkersService,
    private readonly queuesAndWorkers: QueuesAndWorkers,
  ) {}

  async list(): Promise<Page> {
    const { workers, silent } = await this.find();
    return { template: 'admin/workers', data: { workers, silent, sentence: workersSentence(workers) } };
  }

  /** @throws Problem 404 */
  async page(name: string): Promise<Page> {
    return { template: 'admin/worker', data: { worker: await this.worker(name) } };
  }

  /** @throws Problem 404 */
  async worker(name: string): Promise<AdminWorker> {
    const { workers } = await this.find();
    const worker = workers.find((each) => each.name === name);
    if (worker) return worker;
    throw notFound(`There is no worker ${describe(name)}.`);
  }

  private async find(): Promise<{ workers: AdminWorker[]; silent: string[] }> {
    const [registered, seen, { drains }] = await Promise.all([
      this.register.list(),
      this.workers.list(true),
      this.queuesAndWorkers.list(),
    ]);
    return {
      workers: adminWorkers(registered, seen.workers, drains),
      silent: seen.silent_architectures,
    };
  }
}
