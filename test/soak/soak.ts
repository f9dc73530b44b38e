import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { Random } from '../simulation/world/random';
import { SoakDeployment } from './deployment';
import { Faults } from './faults/faults';
import { Follower } from './follower';
import { settle, type Account } from './ledger';
import { Liveness } from './liveness';
import { Memory, type MemorySlope } from './memory';
import { STUB_VARIANT, type SoakPlan } from './plan';
import type { Records } from './records';
import { report } from './report';
import { longListOf, Submitter } from './submitter';

/** A run that has not ended this long after everything was whole again is lost. */
const HEALING_MS = 180_000;
/** Runs that may wait: so many seconds of submission, and a long list beside. */
const WAITING_SECONDS_MAX = 30;
const LOOK_EVERY_MS = 500;

export interface SoakResult extends Account {
  faults: ReadonlyMap<string, number>;
  /** Requests that a client had to send again. */
  repeated: number;
  /** From the first request until the last result, seconds. */
  seconds: number;
  /** From the moment when everything was whole again until the last result. */
  healingSeconds: number;
  /** The longest times that an architecture was without an owner, or without a grant, though all it needs was whole. */
  unownedSeconds: number;
  ungrantedSeconds: number;
  memory: MemorySlope[];
  /** After a violation: lines that sum up what every part knew then. */
  report: string[];
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Submits runs to a whole deployment while its parts are killed, frozen and starved, lets it heal, and compares what
 * clients know with what is in the books and what was executed.
 */
export async function soak(
  plan: SoakPlan,
  records: Records,
  log: (text: string) => void,
): Promise<SoakResult> {
  const deployment = await SoakDeployment.start(records);
  const parts = partsOf(deployment, plan, log);
  const stop = async () => {
    parts.submitter.stop();
    for (const each of [parts.follower, parts.liveness, parts.memory]) each.stop();
    // What was broken is made whole first: nothing may be started again once the deployment has ended.
    await Promise.allSettled([parts.faults.stop()]);
    await deployment.stop();
  };
  const stopAndExit = (signal: NodeJS.Signals) => {
    // Ends this process the way the signal would have.
    void stop().finally(() => process.kill(process.pid, signal));
  };
  SIGNALS.forEach((signal) => process.once(signal, stopAndExit));
  try {
    const result = await run(deployment, plan, parts, log);
    if (result.violations.length > 0) result.report = await report(deployment, records);
    return result;
  } finally {
    SIGNALS.forEach((signal) => process.off(signal, stopAndExit));
    await stop();
  }
}

interface Parts {
  submitter: Submitter;
  follower: Follower;
  undone: Set<number>;
  faults: Faults;
  liveness: Liveness;
  memory: Memory;
}

function partsOf(
  deployment: SoakDeployment,
  { durationMs, faultEveryMs, seed, stubShare, faults }: SoakPlan,
  log: (text: string) => void,
): Parts {
  const { url, key } = deployment;
  const stubMarks = join(deployment.executionsPath, STUB_VARIANT);
  const submitter = new Submitter(url, key, new Random(seed), stubMarks, stubShare);
  const follower = new Follower(url, key);
  const undone = new Set<number>();
  const faultParts = { deployment, random: new Random(seed + 1), durationMs, submitter, follower, undone };
  const breaking = new Faults(faultParts, faults, faultEveryMs, log);
  const liveness = new Liveness(
    deployment.postgres.url,
    () => breaking.ownableMs(),
    (variant) => breaking.grantableMs(variant),
  );
  const memory = new Memory(() => [...deployment.apps, deployment.nats]);
  return { submitter, follower, undone, faults: breaking, liveness, memory };
}

async function run(
  deployment: SoakDeployment,
  { durationMs, rate }: SoakPlan,
  parts: Parts,
  log: (text: string) => void,
): Promise<SoakResult> {
  const { submitter, follower, faults, liveness, memory } = parts;
  const startedAt = performance.now();
  const waitingMax = longListOf(rate) + rate * WAITING_SECONDS_MAX;
  const following = follower.follow();
  const submitting = submitter.submitAt(rate, waitingMax, () => follower.finished);
  const breaking = faults.run();
  const watching = Promise.all([liveness.watch(), memory.watch()]);
  // The first that fails ends the soak; what becomes of the others then is not waited for.
  for (const each of [following, submitting, breaking, watching]) each.catch(() => undefined);
  await Promise.race([pause(durationMs, undefined, { ref: false }), submitting, breaking, watching]);
  submitter.stop();
  await faults.stop();
  await submitting;
  await breaking;
  const healedAt = performance.now();
  log(`everything is whole again: ${follower.finished} of ${submitter.accepted.size} have finished`);
  while (follower.finished < submitter.accepted.size && performance.now() - healedAt < HEALING_MS)
    await pause(LOOK_EVERY_MS);
  const endedAt = performance.now();
  for (const each of [follower, liveness, memory]) each.stop();
  await Promise.all([following, watching]);
  const account = await settle(deployment.postgres.url, deployment.executionsPath, parts);
  return {
    ...account,
    violations: [...account.violations, ...liveness.violations, ...memory.violations],
    faults: faults.happened,
    repeated: submitter.repeated,
    seconds: (endedAt - startedAt) / 1000,
    healingSeconds: (endedAt - healedAt) / 1000,
    unownedSeconds: liveness.longestUnownedMs / 1000,
    ungrantedSeconds: liveness.longestUngrantedMs / 1000,
    memory: memory.slopes(),
    report: [],
  };
}
