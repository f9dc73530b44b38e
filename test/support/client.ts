import type { RunningProctor } from './proctor';
import { PATIENCE_MS, until } from './until';

/** A result object as the API gives it. */
export interface ResultObject {
  run_id: number;
  package: string;
  status: 'pass' | 'fail' | 'tmpfail' | null;
  state: string;
  version: string | null;
  attempt: number;
  message: string | null;
  exit_code: number | null;
  duration_seconds: number | null;
  created_at: string;
  updated_at: string;
  date: string | null;
  log_url: string | null;
  artifacts_url: string | null;
  page_url: string;
  reasons?: string[];
  [key: string]: unknown;
}

/** A client of the API as its users write one. */
export class Client {
  constructor(
    readonly base: string,
    readonly key: string,
  ) {}

  static of(proctor: RunningProctor): Client {
    return new Client(proctor.url, proctor.adminKey);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.base}${path}`, { ...init, headers: { 'Auth-Key': this.key, ...init.headers } });
  }

  /** Requests runs of the items. @returns their ids, in order */
  async submit(suite: string, arch: string, tests: object[]): Promise<number[]> {
    const body = new URLSearchParams({ tests: JSON.stringify(tests) });
    const response = await this.fetch(`/api/v1/test/${suite}/${arch}`, { method: 'POST', body });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    const { runs } = (await response.json()) as { runs: { run_id: number }[] };
    return runs.map((run) => run.run_id);
  }

  async submitOne(suite: string, arch: string, item: object): Promise<number> {
    const [runId] = await this.submit(suite, arch, [item]);
    if (runId === undefined) throw new Error('nothing was created');
    return runId;
  }

  async run(runId: number): Promise<ResultObject> {
    const response = await this.fetch(`/api/v1/test/${runId}`);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as ResultObject;
  }

  async since(since: number): Promise<{ until: number; results: ResultObject[] }> {
    const response = await this.fetch(`/api/v1/test?since=${since}`);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as { until: number; results: ResultObject[] };
  }

  /**
   * Reads the run again and again until it satisfies the condition. @throws Error with the last state of the run, after
   * the time limit
   */
  async runThat(
    runId: number,
    isAsWanted: (run: ResultObject) => boolean,
    timeoutMs = PATIENCE_MS,
  ): Promise<ResultObject> {
    let last: ResultObject | undefined;
    const isReached = await until(async () => isAsWanted((last = await this.run(runId))), timeoutMs);
    if (!isReached || !last)
      throw new Error(`after ${timeoutMs} ms the run was still ${JSON.stringify(last)}`);
    return last;
  }

  finished(runId: number, timeoutMs?: number): Promise<ResultObject> {
    return this.runThat(runId, (run) => run.status !== null, timeoutMs);
  }
}
