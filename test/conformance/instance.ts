import { exchange, exchangeUnsent, json, type Answer, type Sent } from './exchange';
import { becomes, ok, status } from './expectations';
import { NotTried } from './outcomes';

/** What a check needs beyond the key; who runs the suite may not have it. */
export type Ability =
  | 'other key'
  | 'password'
  | 'admin key'
  | 'idle architecture'
  | 'idle backend'
  | 'other suite'
  | 'finishing runs'
  | 'stub'
  | 'apt source'
  | 'closed apt source'
  | 'history length'
  | 'items limit'
  | 'rate limit'
  | 'changing the reject list';

/** What a request for one run by its id shows in addition to a list. */
const OF_ONE_RUN = new Set(['position', 'ahead', 'estimated_start', 'reasons', 'facts', 'tests', 'image']);

export function asListed(run: Result): Result {
  return Object.fromEntries(Object.entries(run).filter(([key]) => !OF_ONE_RUN.has(key))) as Result;
}

/** What is known of the instance under test; everything but base and key may be absent. */
export interface InstanceOptions {
  base: string;
  key: string;
  /** A key of another user. */
  otherKey?: string | undefined;
  /** A key of an administrator. */
  adminKey?: string | undefined;
  /** `user:password` of the user of the key. */
  password?: string | undefined;
  suite?: string | undefined;
  arch?: string | undefined;
  otherSuite?: string | undefined;
  /** An architecture that is configured and that no worker serves: its runs wait. */
  idleArch?: string | undefined;
  /** A backend that is configured and that no worker offers. */
  idleBackend?: string | undefined;
  /** Seconds within which a run of a package ends; runs on the architecture do end. */
  finishSeconds?: number | undefined;
  /** The default variant is the stub: names and triggers say how a run ends. */
  stub?: boolean | undefined;
  /** An extra apt source that both users may use. */
  aptSource?: string | undefined;
  /** One that the user of the key may not use. */
  closedAptSource?: string | undefined;
  /** Rows of a history.json. */
  historyLength?: number | undefined;
  itemsMax?: number | undefined;
  /** Requests a second that a key has. */
  requestsPerSecond?: number | undefined;
  /** Puts a package on the reject list of the running instance and resolves once it holds. */
  reject?: ((packageName: string) => Promise<void>) | undefined;
}

export interface RunAnswer {
  runs: { run_id: number; package: string; suite: string; arch: string }[];
  ignored: { index?: number; request?: number; package: string; reason: string }[];
  warnings: unknown[];
}

export interface Result {
  run_id: number;
  package: string;
  suite: string;
  arch: string;
  status: string | null;
  version: string | null;
  trigger: string | null;
  updated_at: string;
  created_at: string;
  date: string | null;
  message: string | null;
  [key: string]: unknown;
}

export interface Asked extends Sent {
  /** null sends no key. */
  key?: string | null | undefined;
}

const GIVEN: Record<Ability, (options: InstanceOptions) => unknown> = {
  'other key': (options) => options.otherKey,
  password: (options) => options.password,
  'admin key': (options) => options.adminKey,
  'idle architecture': (options) => options.idleArch,
  'idle backend': (options) => options.idleBackend,
  'other suite': (options) => options.otherSuite,
  'finishing runs': (options) => options.finishSeconds,
  stub: (options) => options.stub && options.finishSeconds,
  'apt source': (options) => options.aptSource,
  'closed apt source': (options) => options.closedAptSource,
  'history length': (options) => options.historyLength,
  'items limit': (options) => options.itemsMax,
  'rate limit': (options) => options.requestsPerSecond,
  'changing the reject list': (options) => options.reject,
};

/** Every request has this id, so that the answers to compare do not differ by it. */
const REQUEST_ID = 'conformance';

let names = 0;

/** A running service, seen as its clients see it. */
export class Instance {
  readonly suite: string;
  readonly arch: string;
  /** Where runs wait, when there is such a place; else where they may be executed. */
  readonly quietArch: string;
  /** Part of every package name that this run of the suite invents. */
  private readonly mark = `cf${Date.now().toString(36)}`;

  constructor(readonly options: InstanceOptions) {
    this.suite = options.suite ?? 'unstable';
    this.arch = options.arch ?? 'amd64';
    this.quietArch = options.idleArch ?? this.arch;
  }

  has(ability: Ability): boolean {
    return Boolean(GIVEN[ability](this.options));
  }

  get otherKey(): string {
    return this.given(this.options.otherKey, 'a key of another user');
  }

  get adminKey(): string {
    return this.given(this.options.adminKey, 'a key of an administrator');
  }

  get otherSuite(): string {
    return this.given(this.options.otherSuite, 'another suite');
  }

  get aptSource(): string {
    return this.given(this.options.aptSource, 'an extra apt source');
  }

  /** A package name that was not used before; the beginning is free for the stub. */
  name(beginning = 'conformance'): string {
    names += 1;
    return `${beginning}-${this.mark}-${names}`;
  }

  /** Any path of the instance, without a key. */
  fetch(path: string, request: Sent = {}): Promise<Answer> {
    const headers = { 'X-Request-Id': REQUEST_ID, ...request.headers };
    return exchange(this.options.base, path, { ...request, headers });
  }

  /** A path below /api/v1, with the key. */
  api(path: string, { key = this.options.key, headers, ...request }: Asked = {}): Promise<Answer> {
    const withKey: Record<string, string> = key === null ? {} : { 'Auth-Key': key };
    return this.fetch(`/api/v1${path}`, { ...request, headers: { ...withKey, ...headers } });
  }

  /** Announces a body that it does not send. */
  apiUnsent(path: string, headers: Record<string, string>): Promise<Answer> {
    return exchangeUnsent(this.options.base, `/api/v1${path}`, headers);
  }

  /** Path of the list endpoint, below /api/v1. */
  listPath(arch = this.quietArch, suite = this.suite): string {
    return `/test/${suite}/${arch}`;
  }

  post(items: unknown, request: Asked = {}): Promise<Answer> {
    return this.api(this.listPath(), { ...json(items), ...request });
  }

  /** Requests runs that need not finish. @returns the answer's document */
  async submit(items: unknown[], request: Asked = {}): Promise<RunAnswer> {
    return status(await this.post(items, request), 201).json<RunAnswer>();
  }

  async submitOne(item: object = {}, request: Asked = {}): Promise<number> {
    return onlyRun(await this.submit([{ package: this.name(), ...item }], request));
  }

  async one(runId: number, key?: string): Promise<Result> {
    return status(await this.api(`/test/${runId}`, { key }), 200).json<Result>();
  }

  async since(since: number | string, request: Asked = {}): Promise<{ until: number; results: Result[] }> {
    return status(await this.api(`/test?since=${since}`, request), 200).json();
  }

  /** Requests a run where runs finish and waits for its end. */
  async finished(item: { package: string } & Record<string, unknown>, request: Asked = {}): Promise<Result> {
    const answer = await this.api(this.listPath(this.arch), { ...json([item]), ...request });
    return this.end(onlyRun(status(answer, 201).json<RunAnswer>()), request.key ?? undefined);
  }

  /** Several at once; in the order of the items. */
  finishedAll(items: ({ package: string } & Record<string, unknown>)[]): Promise<Result[]> {
    return Promise.all(items.map((item) => this.finished(item)));
  }

  /** Several in one request; in the order of the items. */
  async finishedAllTogether(items: ({ package: string } & Record<string, unknown>)[]): Promise<Result[]> {
    const answer = status(await this.api(this.listPath(this.arch), json(items)), 201);
    return Promise.all(answer.json<RunAnswer>().runs.map((run) => this.end(run.run_id)));
  }

  end(runId: number, key?: string): Promise<Result> {
    const patienceMs = (this.options.finishSeconds ?? 0) * 1000;
    const findResult = async () => {
      const run = await this.one(runId, key);
      return run.status !== null && run;
    };
    return becomes(`run ${runId} ends`, findResult, patienceMs);
  }

  /** A run that is finished without any worker: it was cancelled while it waited. */
  async cancelledRun(item: object = {}, request: Asked = {}): Promise<number> {
    const runId = await this.submitOne(item, request);
    status(await this.api(`/test/${runId}`, { method: 'DELETE', key: request.key }), 200);
    return runId;
  }

  dataPath(packageName: string, file: string, arch = this.arch): string {
    return `/data/packages/${this.suite}/${arch}/${prefixOf(packageName)}/${packageName}/${file}`;
  }

  pagePath(packageName: string): string {
    return `/packages/${prefixOf(packageName)}/${packageName}/`;
  }

  /** Answers of the key endpoints for the user that --password names. */
  keys(
    path: string,
    { headers, ...request }: Sent = {},
    credentials = this.options.password,
  ): Promise<Answer> {
    const basic = `Basic ${Buffer.from(credentials ?? '').toString('base64')}`;
    return this.fetch(`/api/v1/keys${path}`, { ...request, headers: { Authorization: basic, ...headers } });
  }

  /** Another key of the same user. */
  async newKey(): Promise<{ id: number; key: string }> {
    return status(await this.keys('', json({ name: this.name('key') })), 201).json();
  }

  private given<T>(value: T | undefined, what: string): T {
    if (value === undefined) throw new NotTried(what);
    return value;
  }
}

export function prefixOf(packageName: string): string {
  return /^lib./.test(packageName) ? packageName.slice(0, 4) : packageName.slice(0, 1);
}

export function onlyRun(answer: RunAnswer): number {
  ok(answer.runs.length === 1, `one run was due: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer.runs[0]!.run_id;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
