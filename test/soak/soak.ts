import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { Random } from '../simulation/world/random';
import { Calamities } from './calamities';
import { Deployment } from './deployment';
import { Follower } from './follower';
import { settle, type Account } from './ledger';
import { STUB_VARIANT, type SoakPlan } from './plan';
import { LONG_LIST_LENGTH, Submitter } from './submitter';

/** A run that has not ended this long after everything was whole again is lost. */
const HEALING_MS = 120_000;
/** Runs that may wait: so many seconds of submission, and a long list beside. */
const WAITING_SECONDS_MAX = 30;
const LOOK_EVERY_MS = 500;

export interface SoakResult extends Account {
  calamities: ReadonlyMap<string, number>;
  /** Requests that a client had to send again. */
  repeated: number;
  /** From the first request until the last result, seconds. */
  seconds: number;
  /** From the moment when everything was whole again until the last result. */
  healingSeconds: number;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Submits runs to a whole deployment while its parts are killed, frozen and starved, lets it heal, and compares what
 * clients were told with what is in the books and what was executed.
 */
export async function soak(plan: SoakPlan, told: (text: string) => void): Promise<SoakResult> {
  const deployment = await Deployment.start();
  const parts = partsOf(deployment, plan, told);
  const stop = async () => {
    parts.submitter.stop();
    parts.follower.stop();
    // What was broken is made whole first: nothing may be started again once the deployment has ended.
    await Promise.allSettled([parts.calamities.stop()]);
    await deployment.stop();
  };
  const stopAndExit = (signal: NodeJS.Signals) => {
    // Ends this process the way the signal would have.
    void stop().finally(() => process.kill(process.pid, signal));
  };
  SIGNALS.forEach((signal) => process.once(signal, stopAndExit));
  try {
    return await run(deployment, plan, parts, told);
  } finally {
    SIGNALS.forEach((signal) => process.off(signal, stopAndExit));
    await stop();
  }
}

interface Parts {
  submitter: Submitter;
  follower: Follower;
  calamities: Calamities;
}

function partsOf(
  deployment: Deployment,
  { faultEveryMs, seed }: SoakPlan,
  told: (text: string) => void,
): Parts {
  const { url, key } = deployment;
  const stubMarks = join(deployment.executionsPath, STUB_VARIANT);
  return {
    submitter: new Submitter(url, key, new Random(seed), stubMarks),
    follower: new Follower(url, key),
    calamities: new Calamities(deployment, new Random(seed + 1), faultEveryMs, told),
  };
}

async function run(
  deployment: Deployment,
  { durationMs, rate }: SoakPlan,
  { submitter, follower, calamities }: Parts,
  told: (text: string) => void,
): Promise<SoakResult> {
  const startedAt = performance.now();
  const waitingMax = LONG_LIST_LENGTH + rate * WAITING_SECONDS_MAX;
  const following = follower.follow();
  const submitting = submitter.submitAt(rate, waitingMax, () => follower.finished);
  const raging = calamities.rage();
  // The first that fails ends the soak; what becomes of the others then is not waited for.
  for (const each of [following, submitting, raging]) each.catch(() => undefined);
  await Promise.race([pause(durationMs, undefined, { ref: false }), submitting, raging]);
  submitter.stop();
  await calamities.stop();
  await submitting;
  await raging;
  const healedAt = performance.now();
  told(`everything is whole again: ${follower.finished} of ${submitter.accepted.size} have finished`);
  while (follower.finished < submitter.accepted.size && performance.now() - healedAt < HEALING_MS)
    await pause(LOOK_EVERY_MS);
  const endedAt = performance.now();
  follower.stop();
  await following;
  const account = await settle(deployment.postgres.url, deployment.executionsPath, submitter, follower);
  if (account.violations.length > 0) deployment.output.forEach((line) => told(line));
  return {
    ...account,
    calamities: calamities.happened,
    repeated: submitter.repeated,
    seconds: (endedAt - startedAt) / 1000,
    healingSeconds: (endedAt - healedAt) / 1000,
  };
}
