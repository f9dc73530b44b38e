import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, type Bus } from '@proctor/bus';
import { SUBJECTS, subjectOf, type RunRequest } from '@proctor/contracts';
import { type OpenDatabase, openDatabase, type Submitter } from '@proctor/database';
import { AppProcess, EmbeddedNats, findNatsServer, freePort, Home } from '@proctor/embedded';
import { stringify } from 'yaml';
import { TestUsers } from '../support/nats-users';
import { registerWorkers } from '../support/worker-register';
import { runRequest } from '../support/run-request';
import type { ExecutorsNews, ExecutorsPlan } from './core-executor';

export const CORE_ARCH = 'amd64';
const SUITE = 'sid';
const BACKEND = 'null';
const VARIANT = 'nothing';

export interface CoreShape {
  workers: number;
  slots: number;
  /** NODE_OPTIONS of the scheduler, as to profile it. */
  nodeOptions?: string | undefined;
}

/** A scheduler on PostgreSQL and nats-server, and workers that execute nothing, all in one process. */
export class CoreDeployment {
  /** Results that were said to be recorded. */
  recorded = 0;
  /** What asks took that were answered by a lease, milliseconds. */
  leaseMs: number[] = [];
  private onNews = (): void => undefined;

  private constructor(
    readonly database: OpenDatabase,
    private readonly submitter: { userId: number; keyId: number },
    private readonly bus: Bus,
    private readonly nats: EmbeddedNats,
    private readonly processes: AppProcess[],
  ) {}

  static async start(
    folder: string,
    databaseUrl: string,
    { workers: count, slots, nodeOptions }: CoreShape,
  ): Promise<CoreDeployment> {
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const { path: binary } = await findNatsServer(
      (await Home.find(process.env, process.cwd())).natsPackage,
      () => undefined,
    );
    const [port, users] = [await freePort(), new TestUsers(join(folder, 'users'))];
    const workers = Array.from({ length: count }, (_none, at) => ({
      name: `bench${at}`,
      architectures: [CORE_ARCH],
    }));
    const accounts = await users.prepare(`nats://127.0.0.1:${port}`, workers);
    const nats = new EmbeddedNats({ folder: join(folder, 'nats'), binary, accounts, port });
    await nats.start();
    const { database, submitter } = await someRequestor(databaseUrl);
    await registerWorkers(database, users.workers, 'bench');
    const plan: ExecutorsPlan = {
      ...{ arch: CORE_ARCH, suite: SUITE, backend: BACKEND, variant: VARIANT, slots },
      workers: await Promise.all(workers.map(({ name }) => users.read(name))),
    };
    const env = { ...process.env, ...(await configured(folder, databaseUrl)) };
    const app = (name: string, main: string, more: NodeJS.ProcessEnv): AppProcess =>
      new AppProcess({
        name,
        main: join(__dirname, main),
        env: { ...env, ...more },
        identityFile: join(folder, `${name}.json`),
        onLine: (line) => deployment.hear(name, line),
      });
    const processes = [
      app('scheduler', '../../apps/scheduler/src/main.js', {
        PROCTOR_NATS_CREDENTIALS: users.path('scheduler'),
        ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
      }),
      app('executors', 'core-executor.js', { PROCTOR_BENCH_EXECUTORS: JSON.stringify(plan) }),
    ];
    const bus = await connectBus(await users.read('api'));
    const deployment = new CoreDeployment(database, submitter, bus, nats, processes);
    try {
      for (const each of processes) await each.start();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get schedulerPid(): number {
    return this.processes[0]!.pid!;
  }

  get executorsPid(): number {
    return this.processes[1]!.pid!;
  }

  get natsPid(): number {
    return this.nats.pid!;
  }

  /** Accepts runs as the api does, in lists, and tells the dispatcher. */
  async submit(runs: number, listLength: number): Promise<void> {
    for (let from = 0; from < runs; from += listLength) {
      const requests = Array.from({ length: Math.min(listLength, runs - from) }, (_none, at) =>
        request(from + at),
      );
      await this.database.submissions.submit(requests, this.submitter);
      this.bus.signal(subjectOf(SUBJECTS.runsSubmitted, CORE_ARCH), {});
    }
  }

  /** Resolves when so many results were recorded. */
  async untilRecorded(count: number): Promise<void> {
    while (this.recorded < count)
      await new Promise<void>((resolve) => {
        this.onNews = resolve;
      });
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.stop()));
    await this.bus.close();
    await this.database.close();
    await this.nats.stop();
  }

  private hear(name: string, line: string): void {
    if (name !== 'executors' || !line.startsWith('{"recorded"'))
      return void (/warn|error/i.test(line) && console.error(`${name}: ${line}`));
    const news = JSON.parse(line) as ExecutorsNews;
    this.recorded += news.recorded;
    this.leaseMs.push(...news.leaseMs);
    this.onNews();
  }
}

function request(index: number): RunRequest {
  const what = { package: `package${index}`, suite: SUITE, arch: CORE_ARCH, backend: BACKEND };
  return runRequest({ ...what, variant: VARIANT, trigger: 'bench/1' });
}

async function configured(folder: string, databaseUrl: string): Promise<NodeJS.ProcessEnv> {
  const config = join(folder, 'config');
  await mkdir(config);
  const proctor = {
    suites: [SUITE],
    architectures: [CORE_ARCH],
    backends: [BACKEND],
    variants: [VARIANT],
  };
  await writeFile(join(config, 'proctor.yaml'), stringify(proctor));
  return { PROCTOR_HOME: folder, PROCTOR_CONFIG: config, PROCTOR_DATABASE_URL: databaseUrl };
}

/** A requestor of a fresh database. */
async function someRequestor(url: string): Promise<{ database: OpenDatabase; submitter: Submitter }> {
  const database = await openDatabase(url);
  await database.users.add('bench', { isAdmin: false });
  const { key } = await database.apiKeys.create('bench', 'bench');
  const requestor = await database.apiKeys.authenticate(key);
  if (!requestor) throw new Error('the key just made is not known');
  return { database, submitter: requestor };
}
