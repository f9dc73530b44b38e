import { randomInt, randomUUID } from 'node:crypto';
import type { Bus, BusLimits } from '@proctor/bus';
import { reportSubject } from '@proctor/contracts';
import { until } from '@test/support/until';

/** A server that buses connect to: in memory, or NATS. */
export interface BusServer {
  connect(): Promise<Bus>;
  /** Cuts a client off as the death of its process would: nothing more is said for it. */
  kill(bus: Bus): Promise<void>;
  close(): Promise<void>;
}

export type StartServer = (limits: Partial<BusLimits>) => Promise<BusServer>;

/** What a consumer stays silent about comes again after longer than any test takes. */
export const LIMITS: Partial<BusLimits> = {
  reportsBytesMax: 1024 ** 2,
  reportAckWaitMs: 60_000,
  reportsInFlightMax: 3,
  reportsPendingMax: 2,
  reportsMax: 20,
  redeliveryDelayMinMs: 20,
  redeliveryDelayMaxMs: 100,
  reportFailuresMax: 4,
  drainTimeoutMs: 2_000,
};

/** Short enough for a test that waits for it; a third of it is long enough for a heartbeat on a busy machine. */
export const SHORT_ACK_WAIT: Partial<BusLimits> = { ...LIMITS, reportAckWaitMs: 4_000 };

export function newScope(): string {
  return `arch-${randomUUID().slice(0, 8)}`;
}

/** The subject of the finished report of a first attempt. */
export function finishedOf(arch: string, runId: number): string {
  return reportSubject(arch, 'finished', { worker: 'w1', runId, attempt: 1 });
}

export function newRunId(): number {
  return randomInt(1, 2 ** 40);
}

/** Resolves when the streams hold no report to the architecture. */
export async function drained(bus: Bus, arch: string): Promise<void> {
  expect(await until(async () => (await bus.listWaitingReports(arch)).length === 0)).toBe(true);
}
