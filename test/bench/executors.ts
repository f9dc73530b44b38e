import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, connectBus, type Credentials, NoAnswer } from '@proctor/bus';
import { systemClock, WakeUp } from '@proctor/clock';
import {
  type FinishedReport,
  grantName,
  grantOf,
  type Lease,
  type LeaseReply,
  type RecordedSignal,
  reportSubject,
  requestSubject,
  type SlotsWanted,
  SUBJECTS,
  subjectOf,
} from '@proctor/contracts';
import { AskTurns } from '@apps/worker/src/slot/ask-turns';

/** The settings of one process of executors, as JSON in its environment. */
export interface ExecutorsPlan {
  arch: string;
  suite: string;
  backend: string;
  variant: string;
  slots: number;
  workers: Credentials[];
}

/** What it writes in a line now and then: what has happened since the line before. */
export interface ExecutorsNews {
  recorded: number;
  /** What each ask took that was answered by a lease, milliseconds. */
  leaseMs: number[];
}

const ANSWER_MS = 30_000;
const NO_ANSWER_MS = 100;
const NEWS_MS = 50;

/**
 * Workers that speak to the dispatcher as real ones do and execute nothing: each has a connection of its own and asks again
 * when it receives `recorded`. Only the control plane is measured with them.
 */
class Executor {
  private readonly incarnation = randomUUID();
  private readonly recorded = new Map<string, () => void>();
  private readonly turns = new AskTurns(systemClock);
  private readonly wakeUps: WakeUp[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly name: string,
    private readonly plan: ExecutorsPlan,
    private readonly news: ExecutorsNews,
  ) {
    bus.subscribe(subjectOf(SUBJECTS.workWaiting, plan.arch), () => {
      for (const slot of this.wakeUps) slot.wake();
    });
    bus.subscribe(subjectOf(SUBJECTS.slotsWanted, name), ({ text }) => {
      for (const slot of (JSON.parse(text) as SlotsWanted).slots) this.wakeUps[slot]?.wake();
    });
    bus.subscribe(subjectOf(SUBJECTS.recorded, name), ({ text }) => {
      const signal = JSON.parse(text) as RecordedSignal;
      this.recorded.get(grantName(signal, '/'))?.();
    });
  }

  async work(slot: number): Promise<never> {
    const wakeUp = (this.wakeUps[slot] = new WakeUp(systemClock));
    const identity = { worker: this.name, incarnation: this.incarnation, slot };
    const { arch, suite, backend, variant } = this.plan;
    const offer = { testbeds: [{ suite, backend, state: 'ready' }], variants: [variant] };
    const subject = requestSubject(arch, this.name, 'lease');
    for (;;) {
      wakeUp.reset();
      const askedMs = performance.now();
      const request = { ...identity, previous: [], ask: randomUUID(), wakeable: true, ...offer };
      const { lease, askAgainMs } = await this.answer(subject, request);
      if (!lease) {
        await this.turns.rest(wakeUp, askAgainMs * (0.8 + 0.4 * Math.random()));
        continue;
      }
      this.news.leaseMs.push(performance.now() - askedMs);
      await this.execute(identity, lease);
      this.news.recorded += 1;
    }
  }

  /** An architecture has no dispatcher for a moment when schedulers start or change: the executor waits for the next. */
  private async answer(subject: string, request: object): Promise<Pick<LeaseReply, 'lease' | 'askAgainMs'>> {
    try {
      return await this.bus.request<LeaseReply>(subject, request, ANSWER_MS);
    } catch (error) {
      if (error instanceof NoAnswer) return { lease: null, askAgainMs: NO_ANSWER_MS };
      throw error;
    }
  }

  private async execute(
    identity: { worker: string; incarnation: string; slot: number },
    lease: Lease,
  ): Promise<void> {
    const report = { ...identity, ...grantOf(lease) };
    const { arch } = this.plan;
    const recorded = new Promise<void>((resolve) => this.recorded.set(grantName(lease, '/'), resolve));
    const started = this.bus.report(reportSubject(arch, 'started', report), report);
    const finishedReport: FinishedReport = { ...report, ...RESULT };
    await Promise.all([
      started,
      this.bus.report(reportSubject(arch, 'finished', report), finishedReport),
      recorded,
    ]);
    this.recorded.delete(grantName(lease, '/'));
  }
}

const RESULT = {
  ...{ verdict: 'pass' as const, message: 'all tests passed', exitCode: 0, version: '1.0-1' },
  ...{ durationSeconds: 0, files: [], tests: [] },
};

async function main(): Promise<void> {
  const plan = JSON.parse(process.env['PROCTOR_BENCH_EXECUTORS'] ?? '') as ExecutorsPlan;
  const news: ExecutorsNews = { recorded: 0, leaseMs: [] };
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
  for (const credentials of plan.workers) {
    const executor = new Executor(await connectBus(credentials), credentials.name, plan, news);
    for (let slot = 0; slot < plan.slots; slot += 1) void executor.work(slot);
  }
  process.send?.({ ready: true });
  for (;;) {
    await pause(NEWS_MS);
    if (news.recorded + news.leaseMs.length > 0) process.stdout.write(`${JSON.stringify(news)}\n`);
    Object.assign(news, { recorded: 0, leaseMs: [] });
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
