import { rejectedVersions, sizeClasses, type Configuration } from '@proctor/config';
import type { ActorSettings } from './dispatcher-actor';

const NO_CAPS = { perRequestorMax: Infinity, perPackageMax: Infinity, perSuiteMax: Infinity };

/** What of the configuration a dispatcher works by, with the limits that no deployment needs to change. */
export function actorSettings({ scheduler, extraAptSources, rejectList }: Configuration): ActorSettings {
  const sources = extraAptSources.map(({ name, lines, signingKey }) => {
    return [name, { name, lines, ...(signingKey !== undefined && { signingKey }) }] as const;
  });
  const { halfLifeMs, weights } = scheduler.fairShare;
  return {
    arrivalPollMs: scheduler.arrivalPollMs,
    arrivalsPerTurnMax: 1_000,
    mailboxLengthMax: scheduler.mailboxLengthMax,
    turnMessagesMax: scheduler.turnMessagesMax,
    reloadDelayMs: 1_000,
    turnTimeoutMs: scheduler.turnTimeoutMs,
    loadTimeoutMs: 60_000,
    dispatch: {
      leaseTtlMs: scheduler.leaseTtlMs,
      leaseRenewMs: scheduler.leaseRenewMs,
      askAgainMs: scheduler.askAgainMs,
      retry: scheduler.retry,
      fairShare: { halfLifeMs, weightOf: (user) => (Object.hasOwn(weights, user) ? weights[user]! : 1) },
      ageing: scheduler.ageing,
      caps: { ...NO_CAPS, ...scheduler.caps },
      blame: scheduler.blame,
      sizeClassOf: sizeClasses(scheduler.sizeClasses),
      unknownDurationMs: 300_000,
      // Idle slots ask and busy ones renew more often than that.
      workerQuietMaxMs: Math.max(scheduler.leaseTtlMs, 3 * scheduler.askAgainMs),
      workersMax: 10_000,
      extraAptSources: new Map(sources),
      rejectedVersions: (name, suite, arch) => rejectedVersions(rejectList, name, suite, arch),
    },
  };
}
