import { setTimeout as pause } from 'node:timers/promises';
import type { AppProcess } from '@proctor/embedded';
import type { Random } from '@test/simulation/world/random';
import type { SoakDeployment } from '../deployment';
import type { Follower } from '../follower';
import type { Submitter } from '../submitter';

const START_AGAIN_MS = 1_000;
const STARTS_MAX = 60;

/** One way to break one part; the part is whole again once it has happened. */
export interface Fault {
  /** What happens to the part, in words for people. */
  title: string;
  /** What it needs whole: two that need the same do not overlap. */
  of: string;
  happen(): Promise<void>;
}

/** What faults are made of. */
export interface FaultParts {
  deployment: SoakDeployment;
  random: Random;
  /** The duration of the whole soak, milliseconds. No fault lasts longer than a third of it. */
  durationMs: number;
  submitter: Submitter;
  follower: Follower;
  /** Runs that a restore of the database has undone: whatever of them was executed before does not count. */
  undone: Set<number>;
}

/** Waits for a random time between the limits, milliseconds; at most a third of the soak. */
export function aWhile({ random, durationMs }: FaultParts, minMs: number, maxMs: number): Promise<void> {
  return pause(Math.min(random.between(minMs, maxMs), durationMs / 3));
}

/** An app whose database or bus is away at this moment does not start: as under any supervisor, it is tried again. */
export async function startAgain(app: AppProcess): Promise<void> {
  for (let triesLeft = STARTS_MAX; ; triesLeft -= 1) {
    try {
      return await app.start();
    } catch (error) {
      if (triesLeft === 0) throw error;
      await pause(START_AGAIN_MS);
    }
  }
}
