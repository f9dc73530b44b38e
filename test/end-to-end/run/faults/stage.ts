import { rm, writeFile } from 'node:fs/promises';
import type { StoreSettings } from '@proctor/store';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type ProctorOptions, type RunningProctor } from '@test/support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { until } from '@test/support/until';

export const arch = hostArchitecture();

/** Short times, so that a fault shows within seconds; no worker is blamed for what the test does to it. */
const SCHEDULER = {
  leaseTtlMs: 60_000,
  leaseRenewMs: 500,
  ownershipTtlMs: 3_000,
  arrivalPollMs: 2_000,
  retry: { attemptsMax: 10, delayMs: 200 },
  blame: { failuresMax: 1_000 },
};

/** A test waits for the end of such a lease. A busy machine renews it in time. */
export const SHORT_LEASES = { leaseTtlMs: 6_000 };

export interface StageOptions extends Omit<ProctorOptions, 'config'> {
  slots?: number;
  /** Architectures of the deployment and of its workers. */
  architectures?: string[];
  /** In place of the short times. */
  scheduler?: Record<string, unknown>;
  /** Added to the configuration of the workers. */
  worker?: Record<string, unknown>;
  /** In place of a folder of its own. */
  store?: StoreSettings;
}

/**
 * One deployment of the stub, whose processes a test kills. Tests that share one leave it whole, and name their
 * packages differently.
 */
export class Stage {
  private constructor(
    readonly proctor: RunningProctor,
    readonly client: Client,
    readonly marks: Marks,
  ) {}

  static async open({
    slots = 2,
    architectures,
    scheduler,
    worker: workerToo,
    store,
    ...options
  }: StageOptions = {}): Promise<Stage> {
    const { proctor: server, worker } = stubConfiguration({ ...SCHEDULER, ...scheduler }, slots);
    const also = architectures ? { architectures } : {};
    const config = {
      proctor: { ...server, ...also, ...(store && { store }) },
      worker: { ...worker, ...also, ...workerToo },
    };
    const marks = await Marks.make();
    try {
      const proctor = await startProctor({ ...options, config });
      return new Stage(proctor, Client.of(proctor), marks);
    } catch (error) {
      await marks.remove();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.proctor.stop();
    await this.marks.remove();
  }

  /** Items of runs that mark their execution; each has a package of its own. */
  items(count: number, name: string, trigger = ''): { package: string; trigger: string }[] {
    return Array.from({ length: count }, (_, place) => ({
      package: `${name}${place}`,
      trigger: `append:${this.marks.path('executed')} ${trigger}`.trim(),
    }));
  }

  /** @returns ids of runs that mark their execution */
  submit(count: number, name: string, trigger = '', on = arch): Promise<number[]> {
    return this.client.submit(STUB_SUITE, on, this.items(count, name, trigger));
  }

  /** A trigger word: the run goes on once `go` is called. */
  get patience(): string {
    return `wait-for:${this.marks.path('go')}`;
  }

  /** A run under way, which waits for `go`. @param on its architecture */
  async waitingRun(name = 'patient', on = arch): Promise<number> {
    const [runId = 0] = await this.submit(1, name, this.patience, on);
    await this.client.runThat(runId, ({ state }) => state === 'running');
    const isExecuted = async (): Promise<boolean> =>
      (await this.marks.lines('executed')).some((line) => line.startsWith(`${name}0 `));
    if (!(await until(isExecuted))) throw new Error(`${name} was not executed`);
    return runId;
  }

  async go(): Promise<void> {
    await writeFile(this.marks.path('go'), '');
  }

  /** Runs that are submitted from now on wait until `go` is called again. */
  withdrawGo(): Promise<void> {
    return rm(this.marks.path('go'), { force: true });
  }

  /** Waits until so many executions of the runs submitted by this name have begun. */
  async underWay(executions: number, name: string): Promise<void> {
    const isSo = async (): Promise<boolean> =>
      (await this.marks.lines('executed')).filter((line) => line.startsWith(name)).length >= executions;
    if (!(await until(isSo))) throw new Error(`${executions} runs were not executed`);
  }
}
