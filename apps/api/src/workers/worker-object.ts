import { timestamp } from '@proctor/contracts';
import type { Decision, Testbed, WorkerStanding, WorkerStatus } from '@proctor/contracts';
import { secondFromNow } from '../dispatchers/explanation.service';

/** A worker as the dispatcher of an architecture sees it. */
export interface WorkerObject {
  name: string;
  arch: string;
  slots: number;
  /** Slots that hold a lease; those of private runs count for an administrator. */
  busy: number;
  standing: WorkerStanding;
  /** Why it is not sound, for people. */
  reason: string | null;
  /** Until it may get its next run (slowed), or its canary test (quarantined); UTC. */
  until: string | null;
  /** Who lets it finish what it has and take no more. */
  drained: Decision | null;
  /** Why it takes no work, in its own words. */
  problem: string | null;
  /** Of its program, in its own words; null when it does not say. */
  version: string | null;
  /** The protocol that it speaks; 1 when it does not say. */
  protocol: number;
  testbeds: Testbed[];
  /** How many more it has; absent when all are listed. */
  testbeds_left_out?: number;
  variants: string[];
  size_classes: string[];
}

export function workerObject(arch: string, status: WorkerStatus): WorkerObject {
  const {
    worker,
    slots,
    busy,
    standing,
    reason,
    untilMs,
    drained,
    problem,
    version,
    protocol,
    testbeds,
    testbedsLeftOut,
    variants,
    sizeClasses,
  } = status;
  return {
    name: worker,
    arch,
    slots,
    busy,
    standing,
    reason: reason ?? null,
    until: untilMs === undefined ? null : timestamp(secondFromNow(untilMs)),
    drained: drained ?? null,
    problem: problem ?? null,
    version: version ?? null,
    protocol: protocol ?? 1,
    testbeds,
    ...(testbedsLeftOut !== undefined && { testbeds_left_out: testbedsLeftOut }),
    variants,
    size_classes: sizeClasses,
  };
}
