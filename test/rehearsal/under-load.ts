import { setTimeout as pause } from 'node:timers/promises';
import type { Deployment } from './deployment';
import { Load, outcomeOf, type Outcome } from './load';
import type { Finding } from './report';

/** Runs a second that are asked for while something happens. */
const RATE = 2;
/** Before and after what happens. */
const CALM_MS = 3_000;
const FINISH_MS = 180_000;

/** Attempts that the report lists. */
const FOLLOWED_MAX = 5;

/** What of a load must not have happened. */
export type Zero = Exclude<keyof Outcome, 'accepted' | 'handedBack' | 'followed'> | 'refused';

/** @param mayBeUnavailable a request that began or ended then may be answered 503 */
export async function underLoad(
  { proxy, keys, arch, databases }: Deployment,
  zero: Zero[],
  happens: () => Promise<string>,
  mayBeUnavailable?: () => boolean,
): Promise<Omit<Finding, 'what'>> {
  const load = new Load(proxy.url, keys.alice, arch, mayBeUnavailable);
  load.start(RATE);
  let sentence: string;
  try {
    await pause(CALM_MS);
    sentence = await happens();
    await pause(CALM_MS);
  } finally {
    await load.stop();
  }
  const outcome = await outcomeOf(databases.now, load.accepted, FINISH_MS);
  const counts = { ...outcome, refused: load.refused.length };
  const figures = [
    sentence,
    `${load.requests} requests, ${counts.refused} refused, ${load.excused} put off by 503`,
    `${counts.accepted} runs accepted, ${counts.lost} lost, ${counts.unfinished} unfinished`,
    `${counts.lostLeases} leases lost, ${counts.extraAttempts} extra attempts, ${counts.handedBack} handed back`,
    ...outcome.followed.slice(0, FOLLOWED_MAX),
    ...load.refused.slice(0, 3),
  ];
  const holds = counts.accepted > 0 && zero.every((name) => counts[name] === 0);
  return { holds, detail: figures.filter((text) => text !== '').join('; ') };
}
