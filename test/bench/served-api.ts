import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@proctor/database';
import type { RunRequest } from '@proctor/contracts';
import { NatsUsers } from '@proctor/bus';
import { AppProcess, EmbeddedNats, findNatsServer, freePort, Home } from '@proctor/embedded';
import { stringify } from 'yaml';
import { Client } from 'pg';

export const SUITE = 'sid';
export const ARCH = 'amd64';

/** What is served beside the api, if anything. */
export interface Deployment {
  architectures?: string[];
  schedulers?: number;
}

/** The api as a process of its own on a database and a nats-server; nobody executes what it accepts. */
export class ServedApi {
  private constructor(
    readonly url: string,
    /** Of a user without runs. */
    readonly key: string,
    readonly databaseUrl: string,
    /** The api, and schedulers. */
    private readonly processes: AppProcess[],
    private readonly nats: EmbeddedNats,
  ) {}

  static async start(
    folder: string,
    databaseUrl: string,
    { architectures = [ARCH], schedulers = 0 }: Deployment = {},
  ): Promise<ServedApi> {
    const { path: binary } = await findNatsServer(
      (await Home.find(process.env, process.cwd())).natsPackage,
      console.log,
    );
    const [natsPort, users] = [await freePort(), new NatsUsers(join(folder, 'users'))];
    await users.prepare(`nats://127.0.0.1:${natsPort}`);
    const accounts = await users.accountsText([]);
    const nats = new EmbeddedNats({ folder: join(folder, 'nats'), binary, accounts, port: natsPort });
    await nats.start();
    const [port, config] = [await freePort(), join(folder, 'config')];
    await mkdir(config);
    const limits = {
      ...{ requestsPerSecondMax: 1_000_000, requestsPerMinuteMax: 1_000_000 },
      trustedProxies: ['loopback'],
    };
    const proctor = { suites: [SUITE], architectures, api: limits };
    await writeFile(join(config, 'proctor.yaml'), stringify(proctor));
    const env = {
      ...process.env,
      PROCTOR_HOME: folder,
      PROCTOR_CONFIG: config,
      PROCTOR_PORT: String(port),
      PROCTOR_DATABASE_URL: databaseUrl,
    };
    const app = (program: 'api' | 'scheduler', name: string): AppProcess =>
      new AppProcess({
        name,
        main: join(__dirname, `../../apps/${program}/src/main.js`),
        env: { ...env, PROCTOR_NATS_CREDENTIALS: users.path(program) },
        identityFile: join(folder, `${name}.json`),
        onLine: () => undefined,
      });
    const ours = Array.from({ length: schedulers }, (_none, place) => app('scheduler', `scheduler${place}`));
    const processes = [app('api', 'api'), ...ours];
    try {
      for (const each of processes) await each.start();
      return new ServedApi(
        `http://127.0.0.1:${port}`,
        await newKey(databaseUrl),
        databaseUrl,
        processes,
        nats,
      );
    } catch (error) {
      await Promise.all(processes.map((each) => each.stop()));
      await nats.stop();
      throw error;
    }
  }

  /** A key with that many results of finished runs. */
  async keyWithResults(rows: number): Promise<string> {
    const database = await openDatabase(this.databaseUrl);
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      const { key } = await database.apiKeys.create('bench', `${rows} results`);
      const submitter = await database.apiKeys.authenticate(key);
      if (!submitter) throw new Error('the key just made is not known');
      for (let from = 0; from < rows; from += 10_000) {
        const requests = Array.from({ length: Math.min(10_000, rows - from) }, (_, index) =>
          request(from + index),
        );
        await database.submissions.submit(requests, submitter);
      }
      await client.query(FINISH, [submitter.keyId]);
      await client.query('vacuum analyze runs');
      return key;
    } finally {
      await client.end();
      await database.close();
    }
  }

  /** Forgets how much memory the api has had so far. */
  async resetPeak(): Promise<void> {
    await writeFile(`/proc/${this.pid}/clear_refs`, '5');
  }

  /** MiB that were resident at most since then. */
  async peakMiB(): Promise<number> {
    const text = await readFile(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.stop()));
    await this.nats.stop();
  }

  private get pid(): number | null {
    return this.processes[0]!.pid;
  }
}

const FINISH = `update runs set state = 'finished', verdict = 'pass', finished_at = updated_at, started_at = created_at,
  message = 'all tests passed', version = '1.0-1', exit_code = 0, attempt = 1, worker = 'worker1', duration_seconds = 75,
  taken_in = true where api_key_id = $1`;

async function newKey(databaseUrl: string): Promise<string> {
  const database = await openDatabase(databaseUrl);
  try {
    await database.users.add('bench', { isAdmin: false });
    return (await database.apiKeys.create('bench', 'bench')).key;
  } finally {
    await database.close();
  }
}

function request(index: number): RunRequest {
  return {
    ...{ package: `package${index}`, suite: SUITE, arch: ARCH, backend: 'unshare', variant: 'autopkgtest' },
    ...{ priority: 5, trigger: `bench/${index}`, pinPackages: [], extraAptSources: [], isPrivate: false },
  };
}
