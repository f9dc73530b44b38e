import type { CanaryResult, LeaseReply, LeaseRequest } from '@proctor/contracts';
import {
  DispatcherState,
  step,
  type BlameSettings,
  type DispatchedRun,
  type MessageKind,
  type MessageOf,
  type Step,
  type Write,
} from '@proctor/dispatch';
import { ARCH, finishedReport, leaseRequest, loaded, settings } from '@test/support/runs';
import { Random } from '../world/random';
import { VirtualClock } from '../world/virtual-clock';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const RENEW_MS = 15 * SECOND;
const CANARY_MS = 10 * SECOND;

/** `runs`: every attempt fails there, though a canary test passes. `all`: a canary test fails, too. */
export type Damage = 'none' | 'runs' | 'all';

export interface Machine {
  name: string;
  slots: number;
  damageAt(ms: number): Damage;
}

/** An attempt as its machine executed it. */
export interface Executed {
  worker: string;
  run: DispatchedRun;
  beganMs: number;
  endedMs: number;
  isFailed: boolean;
}

export interface FleetOptions {
  seed: number;
  machines: Machine[];
  runs: DispatchedRun[];
  blame: BlameSettings;
  /** Whether the tests of a package break their testbed on every machine. */
  breaks?: (packageName: string) => boolean;
}

/**
 * The real rules with machines and packages that fail in a known way, on a virtual clock: no message is lost and no
 * commit fails.
 */
export class Fleet {
  readonly clock = new VirtualClock();
  readonly state: DispatcherState;
  readonly executed: Executed[] = [];
  readonly judged: (Extract<Write, { kind: 'judge-worker' }> & { atMs: number })[] = [];
  /** When each run finished. */
  readonly finishedMs = new Map<number, number>();
  private readonly random: Random;
  private readonly idle = new Map<string, (canary?: CanaryResult) => void>();
  private cancelTick = (): void => undefined;

  constructor(private readonly options: FleetOptions) {
    this.random = new Random(options.seed);
    const dispatchSettings = settings({ leaseRenewMs: RENEW_MS, blame: options.blame });
    this.state = new DispatcherState({ arch: ARCH, epoch: 1 }, dispatchSettings, loaded(options.runs), 0);
    this.send({ kind: 'reports-waiting', attempts: [] });
    for (const machine of options.machines)
      for (let slot = 0; slot < machine.slots; slot += 1)
        this.clock.after(this.random.between(0, SECOND), () => this.ask(machine, slot));
  }

  runUntil(untilMs: number): void {
    this.clock.runAllUntil(untilMs);
  }

  arrive(runs: DispatchedRun[]): void {
    this.send({ kind: 'arrivals', runs });
  }

  send<K extends MessageKind>(message: MessageOf<K>): Step<K> {
    const now = this.clock.now();
    const answer = step<K>(this.state, message, now);
    for (const write of answer.writes) {
      if (write.kind === 'finish') this.finishedMs.set(write.runId, now);
      if (write.kind === 'judge-worker') this.judged.push({ ...write, atMs: now });
    }
    this.cancelTick();
    const deadlineMs = this.state.nextDeadlineMs;
    if (deadlineMs !== null)
      this.cancelTick = this.clock.after(deadlineMs - now, () =>
        this.send({ kind: 'tick', workersReachable: true }),
      );
    if (answer.workWaiting) for (const wake of [...this.idle.values()]) wake();
    return answer;
  }

  private ask(machine: Machine, slot: number, canary?: CanaryResult): void {
    const request = leaseRequest({ worker: machine.name, slot, ...(canary && { canary }) });
    const { reply } = this.send({ kind: 'lease', request });
    if (reply.lease) this.execute(machine, request, reply.lease);
    else if (reply.canary) this.tryCanary(machine, slot, reply.canary);
    else this.rest(machine, slot, reply.askAgainMs);
  }

  private rest(machine: Machine, slot: number, askAgainMs: number): void {
    const key = `${machine.name} ${slot}`;
    const wake = () => {
      cancel();
      cancel = this.clock.after(this.random.between(0, 100), ask);
    };
    const ask = () => {
      this.idle.delete(key);
      this.ask(machine, slot);
    };
    let cancel = this.clock.after(askAgainMs * this.random.between(0.8, 1.2), ask);
    this.idle.set(key, wake);
  }

  private tryCanary(machine: Machine, slot: number, test: NonNullable<LeaseReply['canary']>): void {
    this.clock.after(CANARY_MS, () => {
      const passed = machine.damageAt(this.clock.now()) !== 'all';
      const message = passed ? 'all tests passed' : 'the testbed failed';
      this.ask(machine, slot, { canary: test.canary, passed, message });
    });
  }

  private execute(machine: Machine, request: LeaseRequest, lease: NonNullable<LeaseReply['lease']>): void {
    const { worker, incarnation, slot } = request;
    const { runId, attempt } = lease;
    const run = this.state.runs.find(runId)!;
    const beganMs = this.clock.now();
    const isBroken = machine.damageAt(beganMs) !== 'none';
    const isFailed = isBroken || (this.options.breaks?.(run.package) ?? false);
    const lastsMs = isBroken ? this.random.between(1, 3) * SECOND : this.random.between(20, 60) * SECOND;
    const renew = () => {
      this.send({ kind: 'renew', request: { worker, incarnation, slot, runId, attempt } });
      cancelRenewal = this.clock.after(RENEW_MS, renew);
    };
    let cancelRenewal = this.clock.after(RENEW_MS, renew);
    this.clock.after(lastsMs, () => {
      cancelRenewal();
      this.executed.push({ worker, run, beganMs, endedMs: this.clock.now(), isFailed });
      const end = isFailed
        ? ({ verdict: 'tmpfail', message: 'the testbed failed', trouble: 'testbed' } as const)
        : ({ verdict: 'pass', message: 'all tests passed' } as const);
      const durationSeconds = Math.round(lastsMs / SECOND);
      const report = finishedReport(runId, attempt, { worker, incarnation, slot, ...end, durationSeconds });
      this.send({ kind: 'finished', report });
      this.ask(machine, slot);
    });
  }
}

/** The share of the slot time between two moments that such attempts had. */
export function shareOf(
  executed: Executed[],
  slots: number,
  [fromMs, untilMs]: [number, number],
  counts: (attempt: Executed) => boolean,
): number {
  let usedMs = 0;
  for (const attempt of executed.filter(counts))
    usedMs += Math.max(0, Math.min(attempt.endedMs, untilMs) - Math.max(attempt.beganMs, fromMs));
  return usedMs / (slots * (untilMs - fromMs));
}
