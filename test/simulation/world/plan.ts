import type { ActorSettings } from '@apps/scheduler/src/dispatcher/actor-ports';
import { settings } from '@test/support/runs';

/**
 * `calm`: nothing goes wrong but what becomes of schedulers. `set back`: nothing but that the database is restored, by a server whose
 * clock is behind, so that epochs are lower than before.
 */
export type Weather = 'chaos' | 'calm' | 'set back';

export const LOAD_TIMEOUT_MS = 60_000;

/**
 * In some seeds a run has one attempt only; workers are judged fast, so that it happens in the time there is. In calm
 * weather they renew often: a stale owner has little time to answer one of them.
 */
export function actorSettings(seed: number, weather: Weather): ActorSettings {
  const retry = { attemptsMax: seed % 5 === 0 ? 1 : 3, delayMs: 30_000, delayMaxMs: 600_000 };
  const blame = {
    ...{ failuresMax: 2, occasionsMax: 3, slowedMs: 5_000, slowedMaxMs: 30_000 },
    ...{ canaryMs: 10_000, quarantineMs: 20_000, quarantineMaxMs: 80_000, canaryTimeoutMs: 60_000 },
  };
  // In some seeds all are held, in others so few that most decisions need more of a line.
  const runsMax = seed % 4 === 0 ? Infinity : 1 + (seed % 3);
  const window = { runsMax, refillBelow: 1, blockRuns: 1 + (seed % 2) };
  return {
    arrivalPollMs: 5_000,
    arrivalsPerTurnMax: 10,
    mailboxLengthMax: 1_000,
    turnMessagesMax: 100,
    reloadDelayMs: 1_000,
    // In some seeds slow turns fail, in others they are longer than a term.
    turnTimeoutMs: seed % 2 === 0 ? 2_000 : 6_000,
    loadTimeoutMs: LOAD_TIMEOUT_MS,
    dispatch: settings({ retry, blame, leaseRenewMs: weather === 'calm' ? 2_000 : 15_000, window }),
  };
}
