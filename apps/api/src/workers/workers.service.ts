import type { WorkerResource, WorkerDetails, WorkerList } from '@proctor/resources';
import { Inject, Injectable } from '@nestjs/common';
import { type EndedAttempt, WorkerPages, type WorkerRecord, WorkerRegister } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { notFound } from '../http/problem';
import { resultObject } from '../runs/result-object';
import { idleReasons } from './idle-reasons';
import { QueuesService } from '../queues/queues.service';
import { attemptObject, comparisonObject, registeredObject } from './worker-details';
import { workerObject } from './worker-object';

/** How many of its newest attempts are shown for each worker. */
const ATTEMPTS_SHOWN = 30;
const RUNNING_SHOWN_MAX = 200;

/** A worker with its last attempts of public runs, the newest first. */
export interface WorkerSummary {
  name: string;
  /** Null for a worker that is not registered. */
  record: WorkerRecord | null;
  offers: WorkerResource[];
  attempts: EndedAttempt[];
}

@Injectable()
export class WorkersService {
  constructor(
    private readonly explanation: ExplanationService,
    private readonly queues: QueuesService,
    private readonly register: WorkerRegister,
    private readonly pages: WorkerPages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param everything whether private runs count; for administrators */
  async list(everything: boolean): Promise<WorkerList> {
    const architectures = [...this.configuration.server.architectures].sort();
    const statuses = await this.explanation.statuses(architectures, everything);
    return {
      workers: [...statuses].flatMap(([arch, status]) => {
        const workers = (status?.workers ?? []).map((worker) => workerObject(arch, worker));
        return workers.sort((a, b) => (a.name < b.name ? -1 : 1));
      }),
      silent_architectures: [...statuses].flatMap(([arch, status]) => (status && !status.more ? [] : [arch])),
    };
  }

  /** The names of all workers that are registered and not revoked, or that a dispatcher knows, sorted. */
  async listNames(): Promise<string[]> {
    return namesOf(await Promise.all([this.list(false), this.register.valid()]));
  }

  /**
   * Workers by name that are registered and not revoked, or that a dispatcher knows.
   * @param after the name before the first one; empty at the beginning
   * @param isMeant decides by the data of the dispatchers
   */
  async summaries(
    everything: boolean,
    after: string,
    limit: number,
    isMeant: (offers: WorkerResource[]) => boolean = () => true,
  ): Promise<WorkerSummary[]> {
    const all = await Promise.all([this.list(everything), this.register.valid()]);
    const [{ workers }, records] = all;
    const names = namesOf(all);
    const offersOf = (name: string) => workers.filter((worker) => worker.name === name);
    const page = names.filter((name) => name > after && isMeant(offersOf(name))).slice(0, limit);
    const attempts = await this.pages.attempts(page, ATTEMPTS_SHOWN);
    return page.map((name) => ({
      name,
      record: records.find((record) => record.name === name) ?? null,
      offers: offersOf(name),
      attempts: attempts.filter(({ worker }) => worker === name),
    }));
  }

  /**
   * @throws Problem 404 if the name is not registered, no dispatcher knows it, and no run that the reader may see
   * names it
   */
  async details(name: string, everything: boolean): Promise<WorkerDetails> {
    const [record, { workers, silent_architectures }, queues, running, attempts, comparison] =
      await Promise.all([
        this.register.find(name),
        this.list(everything),
        this.queues.list(everything),
        this.pages.running(name, RUNNING_SHOWN_MAX, everything),
        this.pages.attempts([name], ATTEMPTS_SHOWN, everything),
        this.pages.comparison(name),
      ]);
    const offers = workers.filter((worker) => worker.name === name);
    if (!record && offers.length + attempts.length + running.length === 0)
      throw notFound(`There is no worker ${name}.`);
    const { neutral } = this.configuration.server;
    return {
      name,
      registered: record && registeredObject(record, everything),
      offers,
      silent_architectures,
      idle_reasons: idleReasons({ record, offers, silent: silent_architectures, queues }),
      running: running.map((run) => resultObject(run, neutral)),
      attempts: attempts.map((attempt) => attemptObject(attempt, neutral)),
      comparison: comparison.attempts > 0 ? comparisonObject(comparison) : null,
    };
  }
}

function namesOf([{ workers }, records]: [WorkerList, WorkerRecord[]]): string[] {
  return [...new Set([...records, ...workers].map(({ name }) => name))].sort();
}
