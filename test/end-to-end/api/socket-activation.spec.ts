import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { startProctor, type RunningProctor } from '@test/support/proctor';

const project = join(__dirname, '../../..');

/** Holds the socket of the api, as systemd does. */
class ServiceManager {
  private readonly process: ChildProcess;
  private readonly lines: AsyncIterator<string>;
  private readonly log: Interface;

  constructor(command: string[], env: NodeJS.ProcessEnv) {
    const script = join(project, 'test/support/service-manager.py');
    this.process = spawn('python3', [script, ...command], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.lines = createInterface(this.process.stdout!)[Symbol.asyncIterator]();
    this.log = createInterface(this.process.stderr!);
  }

  async number(): Promise<number> {
    const { value } = (await this.lines.next()) as { value?: string };
    return Number(value);
  }

  /** Resolves once the api says that it listens. */
  async startApi(): Promise<number> {
    // From now on: the line may come before the number is read.
    const listening = this.said(/listening at the socket that the service manager passed/);
    this.process.stdin!.write('start\n');
    const pid = await this.number();
    await listening;
    return pid;
  }

  async said(pattern: RegExp): Promise<void> {
    for await (const [line] of on(this.log, 'line')) if (pattern.test(String(line))) return;
  }

  async end(): Promise<void> {
    const exit = once(this.process, 'exit');
    this.process.stdin!.end();
    await exit;
  }
}

let proctor: RunningProctor;
let manager: ServiceManager;
let url: string;

beforeAll(async () => {
  proctor = await startProctor({ apps: [] });
  manager = new ServiceManager([process.execPath, join(project, 'dist/apps/api/src/main.js')], {
    ...process.env,
    PROCTOR_HOME: proctor.home.path,
    PROCTOR_CONFIG: join(project, 'config'),
    PROCTOR_DATABASE_URL: proctor.databaseUrl,
    PROCTOR_NATS_CREDENTIALS: proctor.users.path('api'),
  });
  url = `http://127.0.0.1:${await manager.number()}`;
});
afterAll(async () => {
  await manager?.end();
  await proctor?.stop();
});

it('an api that is passed a socket serves it, and a restart refuses no connection', async () => {
  // Asked before any api runs: the connection waits in the socket.
  const first = fetch(`${url}/api/v1/openapi.json`);
  const pid = await manager.startApi();
  expect((await first).status).toBe(200);

  const stopping = manager.said(/stopping: SIGTERM/);
  process.kill(pid, 'SIGTERM');
  await stopping;
  const between = fetch(`${url}/api/v1/openapi.json`);
  expect(await manager.startApi()).not.toBe(pid);
  expect((await between).status).toBe(200);
});
