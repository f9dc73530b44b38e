import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Provider } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import { SUBJECTS } from '@proctor/contracts';
import { rejectedVersions, sizeClasses } from '@proctor/config';
import { CONFIGURATION, type LiveSchedulerConfiguration } from './configuration.token';
import type { ActorSettings } from './dispatcher/actor-ports';
import { PUBLISHER_SETTINGS, type PublisherSettings } from './facts/fact-publisher';
import { OWNERSHIP_SETTINGS, type OwnershipSettings } from './ownership/ownership-keeper';
import { RETENTION_SETTINGS } from './retention/retention-settings';
import { CLAIM_RENEWAL } from './reports/claim-timer';
import { STATUS_SETTINGS, type StatusSettings } from './statuses/status-keepers';
import { SWEEPER_SETTINGS, type SweeperSettings } from './reports/staging-sweeper';

/** Runs beyond memory are not counted by size class, so with size classes all runs are in memory. */
const EVERYTHING = { runsMax: Infinity, refillBelow: 0, blockRuns: 1 };

const NO_CAPS = { perRequestorMax: Infinity, perPackageMax: Infinity, perSuiteMax: Infinity };

/**
 * The settings of a dispatcher: from the configuration, with limits that no deployment needs to change.
 * @param stopped why no run is granted; null while runs are granted
 */
export function actorSettings(
  {
    scheduler,
    extraAptSources,
    rejectList,
  }: Pick<LiveSchedulerConfiguration, 'scheduler' | 'extraAptSources' | 'rejectList'>,
  stopped: string | null = null,
): ActorSettings {
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
      workerProtocolMin: scheduler.workerProtocolMin,
      askAgainMs: scheduler.askAgainMs,
      retry: scheduler.retry,
      fairShare: { halfLifeMs, weightOf: (user) => (Object.hasOwn(weights, user) ? weights[user]! : 1) },
      ageing: scheduler.ageing,
      caps: { ...NO_CAPS, ...scheduler.caps },
      blame: scheduler.blame,
      window: Object.keys(scheduler.sizeClasses).length > 0 ? EVERYTHING : scheduler.window,
      sizeClassOf: sizeClasses(scheduler.sizeClasses),
      unknownDurationMs: 300_000,
      // Idle slots send requests, and busy ones renewals, more often than this.
      workerQuietMaxMs: Math.max(scheduler.leaseTtlMs, 3 * scheduler.askAgainMs),
      workersMax: 10_000,
      ...(stopped !== null && { stopped }),
      extraAptSources: new Map(sources),
      rejectedVersions: (name, suite, arch) => rejectedVersions(rejectList, name, suite, arch),
    },
  };
}

/** The settings of the other parts of the scheduler: each is read from the configuration at its use. */
export const SETTINGS: Provider[] = [
  {
    provide: PUBLISHER_SETTINGS,
    inject: [CONFIGURATION],
    useFactory: (configuration: LiveSchedulerConfiguration) => (): PublisherSettings => ({
      pollMs: configuration.scheduler.arrivalPollMs,
      pauseMs: 100,
      factsPerLookMax: 250,
    }),
  },
  {
    provide: STATUS_SETTINGS,
    inject: [CONFIGURATION],
    useFactory: (configuration: LiveSchedulerConfiguration) => (): StatusSettings => ({
      pollMs: configuration.scheduler.arrivalPollMs,
      pauseMs: 500,
      statisticsMs: 30_000,
      idleStatisticsMs: 600_000,
    }),
  },
  {
    provide: OWNERSHIP_SETTINGS,
    inject: [CONFIGURATION, Bus],
    useFactory: (configuration: LiveSchedulerConfiguration, bus: Bus): OwnershipSettings => ({
      scheduler: `${hostname()}-${process.pid}-${randomUUID()}`,
      get architectures() {
        return configuration.server.architectures;
      },
      ownershipTtlMs: configuration.scheduler.ownershipTtlMs,
      isConnected: () => bus.isConnected(),
      notifyReleased: () => bus.signal(SUBJECTS.architecturesReleased, {}),
    }),
  },
  {
    provide: CLAIM_RENEWAL,
    inject: [CONFIGURATION],
    useFactory: (configuration: LiveSchedulerConfiguration) => () => configuration.scheduler.leaseRenewMs,
  },
  {
    provide: RETENTION_SETTINGS,
    inject: [CONFIGURATION],
    useFactory: (configuration: LiveSchedulerConfiguration) => () => configuration.retention,
  },
  {
    provide: SWEEPER_SETTINGS,
    inject: [CONFIGURATION],
    useFactory: (configuration: LiveSchedulerConfiguration) => (): SweeperSettings => ({
      sweepMs: configuration.scheduler.stagingSweepMs,
      idleMaxMs: configuration.scheduler.stagingIdleMaxMs,
      observedMax: 100_000,
    }),
  },
];
