import { HttpClient } from './client';
import { ARCH, Deployment, type DeploymentOptions, SUITE } from './deployment';
import type { Place } from './place';

const LIST_LENGTH = 5_000;

/** A deployment whose runs are executed, by executors that do nothing. */
export class ExecutedDeployment {
  /** What each ask took that was answered by a lease, milliseconds. */
  readonly leaseMs: number[] = [];
  private recorded = 0;
  private onRecorded = (): void => undefined;

  private constructor(
    readonly deployment: Deployment,
    readonly client: HttpClient,
  ) {}

  /** Each architecture has so many workers with so many slots each. */
  static async start(
    place: Place,
    { workers, slots }: { workers: number; slots: number },
    options: DeploymentOptions = {},
  ): Promise<ExecutedDeployment> {
    const { architectures = [ARCH] } = options;
    const names = (arch: string) =>
      Array.from({ length: workers }, (_none, index) => `${arch}-executor${index}`);
    const deployment = await Deployment.start(place, {
      ...{ schedulers: 1, workers: architectures.flatMap(names) },
      ...options,
    });
    const executed = new ExecutedDeployment(
      deployment,
      new HttpClient(deployment.url, { 'Auth-Key': deployment.key }),
    );
    for (const arch of architectures)
      await deployment.executors(names(arch), { slots, arch }, (news) => {
        executed.recorded += news.recorded;
        executed.leaseMs.push(...news.leaseMs);
        executed.onRecorded();
      });
    return executed;
  }

  /** Submits so many runs, in lists, and resolves once all are recorded and the last can be read as finished. */
  async execute(runs: number): Promise<void> {
    const target = this.recorded + runs;
    let last = 0;
    for (let from = 0; from < runs; from += LIST_LENGTH)
      last = await this.submit(Math.min(LIST_LENGTH, runs - from));
    await this.untilRecorded(target);
    const { text } = await this.client.mustGet(`/api/v1/test/${last}`);
    const { state } = JSON.parse(text) as { state: string };
    if (state !== 'finished') throw new Error(`the run ${last} was recorded and is ${state}`);
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.deployment.stop();
  }

  /** @returns the id of the last run */
  private async submit(length: number): Promise<number> {
    const items = Array.from({ length }, (_none, index) => ({ package: `package${index}` }));
    const { text } = await this.client.mustPost(`/api/v1/test/${SUITE}/${ARCH}`, items);
    return (JSON.parse(text) as { runs: { run_id: number }[] }).runs.at(-1)!.run_id;
  }

  private untilRecorded(target: number): Promise<void> {
    return new Promise((resolve) => {
      this.onRecorded = () => this.recorded >= target && resolve();
      this.onRecorded();
    });
  }
}
