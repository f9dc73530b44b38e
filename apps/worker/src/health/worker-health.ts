import type { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import type { Drop } from '../reports/dropped-results';
import type { DiskOutbox } from '../reports/outbox';
import type { ReportedStanding, Standings } from '../slot/standings';
import type { Backend } from '../testbed/backend';
import type { Lack, ResourceGuard } from '../testbed/resource-guard';
import type { Notices } from '../slot/notices';
import type { Testbeds } from '../testbed/testbeds';
import type { Worker } from '../life/worker';
import type { CurrentRun, Ends, ObservedRuns } from '../attempt/observed-runs';
import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';

/** How busy and how full this machine is. */
interface MachineLoad {
  /** Mean number of running or waiting processes over 1, 5 and 15 minutes. */
  load: number[];
  processors: number;
  memoryBytes: number;
  /** Memory that new programs could use without swapping. */
  memoryAvailableBytes: number;
  /** Size of the file system that holds the worker's folder. */
  diskBytes: number;
  diskAvailableBytes: number;
}

async function machineLoad(workPath: string): Promise<MachineLoad> {
  const [meminfo, disk] = await Promise.all([readFile('/proc/meminfo', 'utf8'), statfs(workPath)]);
  return {
    load: loadavg(),
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    memoryAvailableBytes: Number(/^MemAvailable: +(\d+) kB/m.exec(meminfo)?.[1]) * 1024,
    diskBytes: disk.blocks * disk.bsize,
    diskAvailableBytes: disk.bavail * disk.bsize,
  };
}

interface ImageAge {
  backend: string;
  suite: string;
  arch: string;
  ageSeconds: number;
}

/** The answer of `/health` of a worker. */
export interface HealthReport {
  worker: string;
  /** Whether it can take work: it is connected, and nothing prevents it. */
  ready: boolean;
  /** The problem that prevents work, or one that does not; null if there is none. */
  problem: string | null;
  /** The resources that are too small on this machine. */
  lacks: Lack[];
  /** Whether it is connected to NATS. */
  connected: boolean;
  upSeconds: number;
  architectures: string[];
  /** Architecture → the standing of this worker for its dispatcher, unless it is sound. */
  standings: Record<string, ReportedStanding>;
  slots: number;
  /** Slots that execute something. */
  busy: number;
  /** The runs that they execute, without private ones. */
  runs: CurrentRun[];
  ended: Ends;
  /** Results on disk that no dispatcher has answered yet. */
  resultsWaiting: number;
  /** Results that counted for nothing, by cause, since the process was started. */
  resultsDropped: Record<Drop, number>;
  machine: MachineLoad;
  /** Backend → what is wrong with it; null: it can be used. */
  backends: Record<string, string | null>;
  images: ImageAge[];
  versions: { node: string; variants: Record<string, string | null> };
}

/** The sources of a worker's health. */
export interface HealthSources {
  worker: Pick<Worker, 'architectures' | 'isStopping'>;
  bus: Pick<Bus, 'isConnected'>;
  runs: Pick<ObservedRuns, 'busy' | 'listPublic' | 'countEnds'>;
  outbox: Pick<DiskOutbox, 'waiting' | 'dropped'>;
  offer: Pick<ResourceGuard, 'currentOffer' | 'listLacks'>;
  notices: Pick<Notices, 'problem' | 'refusal'>;
  testbeds: Pick<Testbeds, 'findings'>;
  standings: Pick<Standings, 'current'>;
  backends: Pick<Backend, 'name' | 'records'>[];
}

/** Builds the health from its sources at each call. */
export class WorkerHealth {
  private readonly startedAt: number;

  /** `wallClock`: milliseconds since the epoch, for the ages of images. */
  constructor(
    private readonly configuration: Pick<WorkerConfiguration, 'name' | 'workPath' | 'slots'>,
    private readonly sources: HealthSources,
    private readonly clock: Clock,
    private readonly wallClock: () => number,
  ) {
    this.startedAt = clock.now();
  }

  async report(): Promise<HealthReport> {
    const { name, workPath, slots } = this.configuration;
    const { worker, bus, runs, outbox, offer, notices, testbeds } = this.sources;
    const [machine, images] = await Promise.all([machineLoad(workPath), this.listImages()]);
    const { backends, variants } = testbeds.findings();
    const obstacle = this.findObstacle();
    const connected = bus.isConnected();
    return {
      worker: name,
      ready: connected && obstacle === null,
      problem: obstacle ?? notices.problem ?? null,
      lacks: offer.listLacks(),
      connected,
      upSeconds: seconds(this.clock.now() - this.startedAt),
      architectures: worker.architectures,
      standings: this.sources.standings.current(),
      slots,
      busy: runs.busy,
      runs: runs.listPublic(),
      ended: runs.countEnds(),
      resultsWaiting: outbox.waiting,
      resultsDropped: outbox.dropped.current(),
      machine,
      backends,
      images,
      versions: { node: process.version, variants },
    };
  }

  /** Why it cannot take work; null: it can. */
  private findObstacle(): string | null {
    const { worker, offer, notices } = this.sources;
    if (worker.isStopping) return 'the worker drains';
    const problems = worker.architectures.map((arch) => offer.currentOffer(arch).problem);
    return problems.find((each) => each !== undefined) ?? notices.refusal ?? this.quarantineReason();
  }

  /** Why it is quarantined everywhere; null: some dispatcher may grant it a run. */
  private quarantineReason(): string | null {
    const standings = this.sources.standings.current();
    const each = this.sources.worker.architectures.map((arch) => standings[arch]);
    const isIdle = each.length > 0 && each.every((standing) => standing?.standing === 'quarantined');
    return isIdle ? `it is quarantined: ${each[0]?.reason}` : null;
  }

  private async listImages(): Promise<ImageAge[]> {
    const ages = this.sources.backends.map(async (backend) =>
      (await backend.records()).map(({ suite, arch, builtAt }) => {
        return { backend: backend.name, suite, arch, ageSeconds: seconds(this.wallClock() - builtAt) };
      }),
    );
    return (await Promise.all(ages)).flat();
  }
}

export function healthSentence(report: HealthReport): string {
  const { ready, problem, standings, busy, slots, resultsWaiting, machine } = report;
  const standingNotes = Object.entries(standings).map(([arch, { standing }]) => `, ${standing} for ${arch}`);
  const state = ready
    ? `takes work${problem === null ? '' : `, but ${problem}`}`
    : `takes no work: ${problem ?? 'it is not connected to NATS'}`;
  const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
  return (
    `${state}${standingNotes.join('')}; ${busy} of ${slots} slots busy, ${resultsWaiting} results waiting, ` +
    `load ${machine.load[0]?.toFixed(1)} on ${machine.processors} processors, ` +
    `${gib(machine.memoryAvailableBytes)} of memory and ${gib(machine.diskAvailableBytes)} of disk free`
  );
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
