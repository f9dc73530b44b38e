import { Inject, Injectable } from '@nestjs/common';
import { bandOf, type DispatcherState, type Write } from '@proctor/dispatch';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { REGISTRY } from '../configuration.token';
import type { DispatcherWatch } from './actor-ports';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In seconds. A run may wait for days: with shorter buckets, all long waits would look alike. */
const WAIT_BUCKETS = [1, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, DAY, 3 * DAY];
const LEASE_BUCKETS = [10, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, DAY];
const TURN_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/**
 * Some leases end without a write of the dispatcher, for example those of cancelled runs. The oldest are removed
 * above this number.
 */
const TIMES_MAX = 2_000;

/** Run → when its lease was granted, milliseconds of the dispatcher's own time. */
class GrantTimes {
  private readonly byRun = new Map<number, number>();
  private dropAt = TIMES_MAX;

  constructor({ leases }: DispatcherState) {
    for (const { run, grantedAtMs } of leases.all()) this.byRun.set(run.runId, grantedAtMs);
  }

  add(runId: number, atMs: number, { leases }: DispatcherState): void {
    this.byRun.set(runId, atMs);
    if (this.byRun.size < this.dropAt) return;
    for (const each of this.byRun.keys()) if (!leases.find(each)) this.byRun.delete(each);
    this.dropAt = TIMES_MAX + 2 * this.byRun.size;
  }

  remove(runId: number): number | undefined {
    const atMs = this.byRun.get(runId);
    this.byRun.delete(runId);
    return atMs;
  }
}

/** Counts what the dispatchers of this process have committed, by architecture. */
@Injectable()
export class DispatcherMetrics implements DispatcherWatch {
  private readonly grants: Counter<'arch'>;
  private readonly waits: Histogram<'arch' | 'band'>;
  private readonly leases: Histogram<'arch'>;
  private readonly attempts: Counter<'arch' | 'verdict' | 'cause'>;
  private readonly turns: Histogram<'arch'>;
  private readonly loads: Gauge<'arch'>;
  private readonly redeliveries: Counter<'arch'>;
  /** When leases were granted, by architecture. */
  private readonly granted = new Map<string, GrantTimes>();

  constructor(@Inject(REGISTRY) registry: Registry) {
    const registers = [registry];
    this.grants = new Counter({
      name: 'proctor_grants_total',
      help: 'Leases that were granted.',
      labelNames: ['arch'],
      registers,
    });
    this.waits = new Histogram({
      name: 'proctor_run_wait_seconds',
      help: 'Time from the request of a run to its first grant.',
      labelNames: ['arch', 'band'],
      buckets: WAIT_BUCKETS,
      registers,
    });
    this.leases = new Histogram({
      name: 'proctor_lease_seconds',
      help: 'Time from a grant to the end of its lease, however it ended.',
      labelNames: ['arch'],
      buckets: LEASE_BUCKETS,
      registers,
    });
    this.attempts = new Counter({
      name: 'proctor_attempts_total',
      help: 'Attempts that have ended: with which verdict (none: without a result), and how.',
      labelNames: ['arch', 'verdict', 'cause'],
      registers,
    });
    this.turns = new Histogram({
      name: 'proctor_turn_seconds',
      help: 'Time of the turns of a dispatcher.',
      labelNames: ['arch'],
      buckets: TURN_BUCKETS,
      registers,
    });
    this.loads = new Gauge({
      name: 'proctor_load_seconds',
      help: 'Time that the last load of all unfinished runs took.',
      labelNames: ['arch'],
      registers,
    });
    this.redeliveries = new Counter({
      name: 'proctor_reports_redelivered',
      help: 'Reports of workers that came again, since they were not settled before.',
      labelNames: ['arch'],
      registers,
    });
  }

  /** A report was delivered again. */
  countRedelivery(arch: string): void {
    this.redeliveries.inc({ arch });
  }

  onLoaded(state: DispatcherState, tookMs: number): void {
    const { arch } = state;
    this.loads.set({ arch }, tookMs / 1000);
    this.granted.set(arch, new GrantTimes(state));
    // A counter that starts with its first grant would not show that grant.
    this.grants.inc({ arch }, 0);
  }

  onCommitted(state: DispatcherState, writes: Write[], tookMs: number, now: number): void {
    const { arch } = state;
    this.turns.observe({ arch }, tookMs / 1000);
    for (const write of writes) {
      if (write.kind === 'grant') this.grant(state, write, now);
      else if (write.kind === 'requeue')
        this.end(arch, write.runId, now, write.result?.verdict ?? 'none', write.outcome);
      else if (write.kind === 'finish')
        this.end(arch, write.runId, now, write.outcome.verdict, write.attemptOutcome);
    }
  }

  private grant(state: DispatcherState, { runId, attempt }: Extract<Write, { kind: 'grant' }>, now: number) {
    const { arch } = state;
    this.grants.inc({ arch });
    this.granted.get(arch)?.add(runId, now, state);
    const run = state.runs.find(runId);
    if (attempt === 1 && run)
      this.waits.observe({ arch, band: bandOf(run) }, state.ageing.waitedMs(run, now) / 1000);
  }

  private end(arch: string, runId: number, now: number, verdict: string, cause: string): void {
    this.attempts.inc({ arch, verdict, cause });
    const grantedAtMs = this.granted.get(arch)?.remove(runId);
    if (grantedAtMs !== undefined) this.leases.observe({ arch }, (now - grantedAtMs) / 1000);
  }
}
