import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, type Bus } from '@proctor/bus';
import {
  grantOf,
  reportOrigin,
  requestSubject,
  SUBJECTS,
  subjectOf,
  type FinishedReport,
  type Lease,
  type LeaseReply,
  type LeaseRequest,
  type RecordedSignal,
} from '@proctor/contracts';
import { AppProcess, EmbeddedNats, findFreePort } from '@proctor/embedded';
import { stringify } from 'yaml';
import { NODE_OPTIONS } from '@apps/cli/src/start/apps';
import { leaseOf } from '../support/slot-rig';
import { TestUsers } from '../support/nats-users';
import type { Place } from './place';

export const ARCH = 'tea';
export const SUITE = 'teapot';
export const WORKER = 'machine';
const CLOCK_TICKS_PER_SECOND = 100;

/** Milliseconds of processor time of a process, and of its children: those that have ended, and those that have not. */
export interface ProcessorTime {
  own: number;
  children: number;
}

export function processorTime(pid: number): ProcessorTime {
  const time = timesOf(pid) ?? { own: 0, children: 0, parent: 0 };
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const child = timesOf(Number(name));
    if (child?.parent === pid) time.children += child.own + child.children;
  }
  return time;
}

/** null: there is no such process. */
function timesOf(pid: number): (ProcessorTime & { parent: number }) | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, childUser, childSystem] = fields
      .slice(11, 15)
      .map((ticks) => (Number(ticks) / CLOCK_TICKS_PER_SECOND) * 1000) as [number, number, number, number];
    return { parent: Number(fields[1]), own: user + system, children: childUser + childSystem };
  } catch {
    // It has ended since it was listed.
    return null;
  }
}

/** What the rig's worker has. */
export interface RigOptions {
  slots: number;
  /** Name → command. */
  variants: Record<string, string[]>;
}

/**
 * A real worker process on a real nats-server, with a dispatcher that grants what it is given and records every result at
 * once, as messages of the wire alone.
 */
export class WorkerRig {
  private readonly waiting: Lease[] = [];
  private lastRun = 0;
  private toRecord = 0;
  private resolveRecorded: () => void = () => undefined;
  /** Called with each lease that is granted. */
  onLease: (lease: Lease) => void = () => undefined;

  private constructor(
    readonly folder: string,
    readonly bus: Bus,
    /** Reads live logs. */
    readonly api: Bus,
    private readonly nats: EmbeddedNats,
    private readonly app: AppProcess,
  ) {}

  static async start(place: Place, { slots, variants }: RigOptions): Promise<WorkerRig> {
    const folder = await place.newFolder('worker');
    const [port, users] = [await findFreePort(), new TestUsers(join(folder, 'users'))];
    const accounts = await users.prepare(`nats://127.0.0.1:${port}`, [
      { name: WORKER, architectures: [ARCH] },
    ]);
    const nats = new EmbeddedNats({ folder: join(folder, 'nats'), binary: place.natsBinary, accounts, port });
    await nats.start();
    const bus = await connectBus(await users.read('scheduler'), { makesStreams: true });
    await bus.prepareReports(ARCH, [WORKER]);
    await bus.prepareWorkers([WORKER]);
    const config = join(folder, 'config');
    await mkdir(config);
    const worker = {
      name: WORKER,
      slots,
      architectures: [ARCH],
      suitesAtStart: [SUITE],
      variants,
      backends: ['null'],
      machineMayBeDestroyed: true,
      workPath: join(folder, 'work'),
    };
    await writeFile(join(config, 'worker.yaml'), stringify(worker));
    const app = new AppProcess({
      name: 'worker',
      main: join(__dirname, '../../apps/worker/src/main.js'),
      env: {
        ...process.env,
        PROCTOR_HOME: folder,
        PROCTOR_CONFIG: config,
        PROCTOR_NATS_CREDENTIALS: users.path(WORKER),
      },
      nodeOptions: NODE_OPTIONS.worker,
      identityFile: join(folder, 'worker.json'),
      stopSignal: 'SIGINT',
      onLine: () => undefined,
    });
    const rig = new WorkerRig(folder, bus, await connectBus(await users.read('api')), nats, app);
    try {
      await rig.listen();
      await app.start();
      return rig;
    } catch (error) {
      await rig.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.app.stop();
    await Promise.all([this.bus.close(), this.api.close()]);
    await this.nats.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  get pid(): number {
    return this.app.pid as number;
  }

  /** Has so many runs of a variant executed; resolves once the last is recorded. */
  execute(runs: number, variant: string): Promise<void> {
    const details = { suite: SUITE, arch: ARCH, backend: 'null', variant };
    for (let run = 0; run < runs; run += 1) this.waiting.push(leaseOf(++this.lastRun, details));
    this.toRecord = runs;
    const recorded = new Promise<void>((resolve) => (this.resolveRecorded = resolve));
    this.bus.signal(subjectOf(SUBJECTS.workWaiting, ARCH), {});
    return recorded;
  }

  private async listen(): Promise<void> {
    this.bus.subscribe(requestSubject(ARCH, '*', 'lease'), ({ text, respond }) => {
      respond?.(JSON.stringify(this.reply(JSON.parse(text) as LeaseRequest)));
    });
    await this.bus.flush();
    await this.bus.consumeReports(ARCH, ({ subject, text }) => {
      const report = JSON.parse(text) as FinishedReport;
      if (reportOrigin(subject)?.kind === 'finished') this.record(report);
      return Promise.resolve();
    });
  }

  private reply({ ask, problem }: LeaseRequest): LeaseReply {
    const lease = problem === undefined ? (this.waiting.shift() ?? null) : null;
    if (lease) this.onLease(lease);
    return { arch: ARCH, epoch: 1, ask, lease, wanted: [], askAgainMs: problem === undefined ? 60_000 : 100 };
  }

  private record(report: FinishedReport): void {
    if (report.verdict !== 'pass') throw new Error(`run ${report.runId}: ${report.message}`);
    const signal: RecordedSignal = { ...grantOf(report), answer: 'recorded' };
    this.bus.signal(subjectOf(SUBJECTS.recorded, report.worker), signal);
    this.toRecord -= 1;
    if (this.toRecord === 0) this.resolveRecorded();
  }
}
