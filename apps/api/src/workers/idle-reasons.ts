import type { QueueResource, WorkerResource } from '@proctor/resources';
import type { Decision } from '@proctor/contracts';
import type { WorkerRecord } from '@proctor/database';

/** The facts about a worker that may explain why it gets no work. */
export interface WorkerFacts {
  /** The registration of the worker; null if it is not registered. */
  record: Pick<WorkerRecord, 'architectures' | 'revokedAt' | 'lastSeenAt'> | null;
  /** The worker as the dispatcher of each architecture sees it. */
  offers: WorkerResource[];
  /** Architectures whose dispatcher does not answer. */
  silent: string[];
  /** All queues of the deployment. */
  queues: QueueResource[];
}

/** How many reasons of queues are named; a worker serves few suites or all. */
const QUEUES_NAMED_MAX = 5;

/**
 * Why a worker gets no work, or not enough: sentences for people, the most important first. Empty if it gets all
 * waiting work.
 */
export function idleReasons({ record, offers, silent, queues }: WorkerFacts): string[] {
  if (record?.revokedAt) return ['an administrator has revoked it'];
  if (!record && offers.length === 0) return ['it is not registered'];
  const architectures = record?.architectures ?? offers.map(({ arch }) => arch);
  const unanswered = architectures.filter((arch) => silent.includes(arch));
  const silences = unanswered.map((arch) => `no scheduler answers for ${arch}`);
  const away = architectures.filter(
    (arch) => !silent.includes(arch) && !offers.some((offer) => offer.arch === arch),
  );
  if (offers.length === 0 && away.length > 0) return [awayReason(record), ...silences];
  const ofOffers = offers.flatMap((offer) => {
    const own = ownReasons(offer);
    return own.length > 0 ? own : queueReasons(offer, queues);
  });
  const unasked = away.map((arch) => `it has not requested work on ${arch} recently`);
  // A worker has most reasons on each of its architectures.
  return [...new Set([...silences, ...ofOffers, ...unasked])];
}

function awayReason(record: WorkerFacts['record']): string {
  return record?.lastSeenAt ? 'it is not connected' : 'it has never connected';
}

/** The decision that a worker gets no new runs: `drained by root (since 2026-11-20 15:40:51 UTC): new disks`. */
export function drainReason({ by, since, reason }: Decision): string {
  return `drained by ${by} (since ${since.slice(0, 19).replace('T', ' ')} UTC): ${reason}`;
}

/** Why the worker itself cannot work. */
function ownReasons(offer: WorkerResource): string[] {
  const { arch, slots, busy, standing, reason, until, drained, problem, testbeds } = offer;
  const isReady = testbeds.length === 0 || testbeds.some(({ state }) => state === 'ready');
  const asOf = until === null ? '' : ` until ${until}`;
  return [
    ...(problem === null ? [] : [`it takes no work: ${problem}`]),
    ...(drained === null ? [] : [drainReason(drained)]),
    ...(standing === 'sound' ? [] : [`${standing}${asOf}: ${reason ?? 'its attempts kept failing'}`]),
    ...(isReady
      ? []
      : testbeds.map(
          ({ suite, backend, state, detail }) =>
            `the image ${suite}/${arch} for ${backend} is ${state}${detail === undefined ? '' : `: ${detail}`}`,
        )),
    ...(slots > 0 && busy >= slots
      ? [slots === 1 ? 'its one slot is busy' : `all ${slots} slots are busy`]
      : []),
  ];
}

/** Why the queues have no work for the worker. */
function queueReasons({ arch }: WorkerResource, queues: QueueResource[]): string[] {
  const waiting = queues.filter((queue) => queue.arch === arch && queue.waiting > 0);
  if (waiting.length === 0) return [`nothing waits on ${arch}`];
  return waiting
    .flatMap(({ suite, reasons }) => reasons.slice(0, 1).map((reason) => `${suite}/${arch}: ${reason}`))
    .slice(0, QUEUES_NAMED_MAX);
}
