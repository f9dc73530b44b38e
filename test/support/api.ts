import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Global, Logger, Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { NatsAccess, type NatsServer, NoNatsAccess } from '@proctor/administration';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { systemClock } from '@proctor/clock';
import type { ResultFileName, TestbedImage, TestResult, Verdict } from '@proctor/contracts';
import { DatabaseModule, openDatabase } from '@proctor/database';
import type { OpenDatabase } from '@proctor/database';
import type { Ownership, RunError } from '@proctor/dispatch';
import { FolderStore, StoreModule, type StoreSettings } from '@proctor/store';
import { createApplication } from '@apps/api/src/application';
import { ApiNats } from '@apps/api/src/administration-ports';
import { ApiModule } from '@apps/api/src/api.module';
import { fixedStatus } from '@apps/api/src/configuration.token';
import type { ApiConfiguration } from '@apps/api/src/configuration.token';
import { DispatcherClient } from '@apps/api/src/dispatchers/dispatcher-client';
import { Leaving } from '@apps/api/src/http/leaving';
import { ASSETS_PATH } from '@apps/api/src/pages/layout/assets';
import { OWN_SERVICES } from '@apps/api/src/webhooks/webhook-url';
import { apiConfiguration, SETTINGS } from './api-configuration';
import { Browser } from './browser';
import { createTestDatabase } from './database';

export interface ApiOptions {
  server?: Partial<ApiConfiguration['server']>;
  /** When the configuration is said to have been read; now when absent. */
  configuredAt?: Date;
  /** Returns the database that the api uses; by default the test's own. */
  databaseUrl?: (own: string) => string | Promise<string>;
  /** The store that the api uses; by default the test's own folder. */
  store?: StoreSettings;
  /** The nats-server whose accounts it may change; none when absent. */
  nats?: () => Promise<NatsServer>;
}

export interface Outcome {
  verdict?: Verdict;
  version?: string | null;
  message?: string;
  /** Texts of the files, as they are before compression. */
  files?: Partial<Record<ResultFileName, string | Buffer>>;
  tests?: TestResult[];
  /** Around the first error of its log. */
  error?: RunError;
  /** That its testbed was made of. */
  image?: TestbedImage;
  /** The attempt was granted and started before. */
  isStarted?: boolean;
}

/** The api within this process, on a database of its own, a folder as store and a bus on which the test is the dispatcher. */
export class RunningApi {
  private root: Promise<unknown> | undefined;
  private ownership: Promise<Ownership | null> | undefined;

  constructor(
    readonly url: string,
    /** Two keys of the user alice, one of bob. */
    readonly keys: { alice: string; aliceSecond: string; bob: string },
    readonly database: OpenDatabase,
    readonly databaseUrl: string,
    readonly store: FolderStore,
    readonly bus: MemoryBus,
    /** The routes of the application: `GET /api/v1/test/:run_id`. */
    readonly routes: string[],
    /** A provider of the application. */
    readonly get: <T>(type: Type<T>) => T,
    readonly stop: () => Promise<void>,
  ) {}

  /** Each under the same id: answers that should be alike are. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('x-request-id')) headers.set('X-Request-Id', 'test');
    return fetch(this.url + path, { redirect: 'manual', ...init, headers });
  }

  /** Sends a request with a key, by default alice's first one. */
  api(path: string, init: RequestInit = {}, key = this.keys.alice): Promise<Response> {
    return this.fetch(`/api/v1${path}`, { ...init, headers: { ...init.headers, 'Auth-Key': key } });
  }

  /** A key of the administrator root, who is added for it. */
  async adminKey(): Promise<string> {
    const { users, apiKeys } = this.database;
    this.root ??= users.add('root', { isAdmin: true });
    await this.root;
    return (await apiKeys.create('root', 'test')).key;
  }

  /** A browser in which the user is logged in. Sets the password that this takes: `of ` and the name. */
  async logIn(name: string): Promise<Browser> {
    await this.database.users.setPassword(name, `of ${name}`);
    const browser = new Browser(this.url);
    await browser.logIn(name, `of ${name}`);
    return browser;
  }

  /** Submits one run and answers its id. */
  async submit(name: string, parameters: Record<string, unknown> = {}, key?: string): Promise<number> {
    const response = await this.api(
      `/test/bookworm/amd64/${name}`,
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(parameters) },
      key,
    );
    const answer = (await response.json()) as { runs: { run_id: number }[] };
    if (answer.runs?.length !== 1) throw new Error(`nothing was created: ${JSON.stringify(answer)}`);
    return answer.runs[0]!.run_id;
  }

  /** Executes the first attempt of a run as a worker and a dispatcher would. */
  async finish(
    runId: number,
    {
      verdict = 'pass',
      version = '1.0-1',
      message = 'done',
      files = {},
      tests = [],
      error,
      image,
      isStarted = false,
    }: Outcome = {},
  ) {
    const stored: { name: ResultFileName; size: number }[] = [];
    for (const [name, text] of Object.entries(files) as [ResultFileName, string | Buffer][]) {
      const content = gzipSync(text);
      const sha256 = createHash('sha256').update(content).digest('hex');
      await this.store.save(runId, 1, name, Readable.from([content]), { size: content.length, sha256 });
      stored.push({ name, size: content.length });
    }
    if (!isStarted) await this.start(runId);
    const result = { verdict, message, exitCode: 0, version, durationSeconds: 30, files: stored, tests };
    const outcome = { ...result, ...(error && { error }), ...(image && { image }) };
    await this.commit([
      { kind: 'finish', runId, attempt: 1, attemptOutcome: 'finished', outcome, worker: 'worker-1' },
    ]);
  }

  /** Grants the first attempt and starts it. */
  async start(runId: number): Promise<void> {
    const incarnation = '3f1d7f2e-9a0e-4c3f-8b7c-0a7d5e7b9b11';
    await this.commit([{ kind: 'grant', runId, attempt: 1, worker: 'worker-1', incarnation, slot: 0 }]);
    await this.commit([{ kind: 'start', runId, attempt: 1 }]);
  }

  /** Commits writes as the dispatcher of amd64. */
  async commit(writes: Parameters<OpenDatabase['journal']['commit']>[2]): Promise<void> {
    this.ownership ??= this.database.ownershipRegister.claim('amd64', 'test', 3_600_000);
    const ownership = await this.ownership;
    await this.database.journal.commit('amd64', ownership!.epoch, writes);
  }
}

/** Answers under way get this long when the api ends. */
const ANSWERS_MS = 1_000;

/** @throws with nothing left running when the api does not start */
export async function startApi({
  server,
  configuredAt,
  databaseUrl = (own) => own,
  store,
  nats = () => Promise.reject(new NoNatsAccess('PROCTOR_NATS_USERS is not set')),
}: ApiOptions = {}): Promise<RunningApi> {
  // Refused requests are what these tests are about; their log lines would drown the report.
  Logger.overrideLogger(false);
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let next = undo.pop(); next; next = undo.pop()) await next();
  };
  try {
    const own = await createTestDatabase();
    undo.push(() => own.drop());
    const database = await openDatabase(own.url);
    undo.push(() => database.close());
    const storePath = await mkdtemp(join(tmpdir(), 'proctor-api-'));
    undo.push(() => rm(storePath, { recursive: true, force: true }));
    const broker = new MemoryBroker();
    const bus = new MemoryBus(broker);
    undo.push(() => bus.close());
    const configuration = apiConfiguration(server);
    const application = await createApplication(
      testModule(
        configuration,
        configuredAt,
        await databaseUrl(own.url),
        store ?? { kind: 'folder', path: storePath },
        broker,
        nats,
      ),
      configuration.server,
      { abortOnError: false },
    );
    // Closes connections as the process does: an answer in progress, or a connection without a request, would delay the
    // end.
    undo.push(async () => {
      const server = application.getHttpServer();
      await application.get(Leaving).start(server, 0);
      const timer = setTimeout(() => server.closeAllConnections(), ANSWERS_MS);
      await application.close();
      clearTimeout(timer);
    });
    await application.listen(0, '127.0.0.1');
    const { port } = application.getHttpServer().address() as AddressInfo;
    const keys = await makeKeys(database);
    return new RunningApi(
      `http://127.0.0.1:${port}`,
      keys,
      database,
      own.url,
      new FolderStore(storePath),
      bus,
      routesOf(application),
      (type) => application.get(type),
      stop,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The used part of Express's layers, which its type definitions leave out. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}

function routesOf(application: NestExpressApplication): string[] {
  const { router } = application.getHttpAdapter().getInstance() as unknown as { router: { stack: Layer[] } };
  return router.stack.flatMap(({ route }) =>
    Object.keys(route?.methods ?? {}).map((method) => `${method.toUpperCase()} ${route!.path}`),
  );
}

async function makeKeys({ users, apiKeys }: OpenDatabase): Promise<RunningApi['keys']> {
  await users.add('alice', { isAdmin: false });
  await users.add('bob', { isAdmin: false });
  const key = async (user: string): Promise<string> => (await apiKeys.create(user, 'test')).key;
  return { alice: await key('alice'), aliceSecond: await key('alice'), bob: await key('bob') };
}

function testModule(
  configuration: ApiConfiguration,
  configuredAt: Date | undefined,
  databaseUrl: string,
  store: StoreSettings,
  broker: MemoryBroker,
  nats: () => Promise<NatsServer>,
): DynamicModule {
  const clientPath = join(process.env.PROCTOR_TEST_FOLDER!, 'client');
  return {
    module: TestModule,
    imports: [
      DatabaseModule.forReaders(databaseUrl),
      StoreModule.forRoot(store, () => ({ accessKeyId: 'test', secretAccessKey: 'test' })),
      ApiModule.forRoot(configuration, () => SETTINGS, fixedStatus(configuredAt), [ASSETS_PATH, clientPath]),
    ],
    providers: [
      {
        provide: DispatcherClient,
        useFactory: () => new DispatcherClient(() => Promise.resolve(new MemoryBus(broker)), systemClock),
      },
      { provide: NatsAccess, useValue: new ApiNats(nats) },
      { provide: OWN_SERVICES, useValue: () => new Set(['ci.example.org:443']) },
    ],
    exports: [DispatcherClient, NatsAccess, OWN_SERVICES],
  };
}

@Global()
@Module({})
class TestModule {}
