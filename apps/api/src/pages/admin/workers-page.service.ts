import { Injectable } from '@nestjs/common';
import { QueuesAndWorkers, Register } from '@proctor/administration';
import { describe } from '@proctor/contracts';
import { notFound } from '../../http/problem';
import { WorkersService } from '../../workers/workers.service';
import type { Page } from '../layout/page';
import type { DrainResource, WorkerResource } from '@proctor/resources';
import type { WorkerRecord } from '@proctor/database';

/** A worker, with data from the register, its dispatchers and the decisions of administrators. */
interface AdminWorker {
  name: string;
  /** Null when the worker is not in the register. */
  registered: WorkerRecord | null;
  /** The worker as each dispatcher sees it, one for each architecture; empty while no dispatcher knows it. */
  offers: WorkerResource[];
  drained: DrainResource | null;
  /** The state in a few words. With `isWell`, it needs no action. */
  state: string;
  isWell: boolean;
  /** Number of leases that the worker has. */
  busy: number;
}

/** All known workers by name; revoked workers come last. */
export function adminWorkers(
  registered: WorkerRecord[],
  offers: WorkerResource[],
  drains: DrainResource[],
): AdminWorker[] {
  const names = [
    ...registered.map(({ name }) => name),
    ...offers.map(({ name }) => name),
    ...drains.map(({ worker }) => worker),
  ];
  const workers = [...new Set(names)].map((name) =>
    adminWorker(
      name,
      registered.find((each) => each.name === name) ?? null,
      offers.filter((each) => each.name === name),
      drains.find((each) => each.worker === name) ?? null,
    ),
  );
  const isGone = ({ registered: row }: AdminWorker): number => (row?.revokedAt ? 1 : 0);
  return workers.sort((a, b) => isGone(a) - isGone(b) || (a.name < b.name ? -1 : 1));
}

function adminWorker(
  name: string,
  registered: WorkerRecord | null,
  offers: WorkerResource[],
  drained: DrainResource | null,
): AdminWorker {
  const busy = offers.reduce((sum, offer) => sum + offer.busy, 0);
  const isRevoked = registered?.revokedAt != null;
  const unsound = offers.filter(({ standing }) => standing !== 'sound');
  const words = [
    isRevoked && 'revoked',
    !registered && 'not in the register',
    drained && 'drained',
    ...new Set(unsound.map(({ standing }) => standing)),
    offers.some(({ problem }) => problem !== null) && 'takes no work',
    !isRevoked && offers.length === 0 && 'not seen by a scheduler',
  ].filter((word): word is string => typeof word === 'string');
  const state = words.length > 0 ? words.join(', ') : busy > 0 ? 'works' : 'idle';
  return { name, registered, offers, drained, state, isWell: words.length === 0 || isRevoked, busy };
}

export function workersSentence(workers: AdminWorker[]): string {
  const valid = workers.filter(({ registered }) => registered && !registered.revokedAt);
  const unwell = workers.filter(({ isWell }) => !isWell).length;
  if (workers.length === 0) return 'No worker is known.';
  const count = valid.length === 1 ? 'One worker is registered' : `${valid.length} workers are registered`;
  if (unwell === 0) return `${count}, and nothing is against ${valid.length === 1 ? 'it' : 'them'}.`;
  return `${count}; ${unwell === 1 ? 'one needs a look' : `${unwell} need a look`}.`;
}

/** Loads the data of the workers pages of administrators. */
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

  /** @throws Problem 404 when there is no such worker */
  async page(name: string): Promise<Page> {
    return { template: 'admin/worker', data: { worker: await this.worker(name) } };
  }

  /** @throws Problem 404 when there is no such worker */
  async worker(name: string): Promise<AdminWorker> {
    const { workers } = await this.find();
    const worker = workers.find((each) => each.name === name);
    if (worker) return worker;
    throw notFound(`There is no worker ${describe(name)}.`);
  }

  private async find(): Promise<{ workers: AdminWorker[]; silent: string[] }> {
    const [registered, summary, { drains }] = await Promise.all([
      this.register.list(),
      this.workers.list(true),
      this.queuesAndWorkers.list(),
    ]);
    return {
      workers: adminWorkers(registered, summary.workers, drains),
      silent: summary.silent_architectures,
    };
  }
}
