import type { PauseResource, QueueResource } from '@proctor/resources';
import type { FeedEntry } from '../../public-data/status-feed';
import { decidedBy, pauseToEnd } from './decision-view';
import { underWaySentence } from '../layout/sentence';
import { estimateInWords, secondsInWords } from '../layout/times';

/**
 * The page of the suite queues: queues with runs first, then empty ones.
 * @param pauses those that an administrator can end
 */
export function queuesView(queues: QueueResource[], pauses: PauseResource[] = []) {
  const busy = queues.filter(({ waiting, running }) => waiting + running > 0);
  return {
    sentence: queuesSentence(busy),
    rows: busy.map((queue) => ({ ...queueRow(queue), pause: pauseToEnd(pauses, queue) })),
    idle: queues.filter((queue) => !busy.includes(queue)).map(({ suite, arch }) => `${suite}/${arch}`),
  };
}

/** `412 runs are waiting, 3 are running. sid/armhf takes longest: about 5 h. 2 queues cannot make progress.` */
function queuesSentence(busy: QueueResource[]): string {
  const sum = (count: (queue: QueueResource) => number): number =>
    busy.reduce((total, queue) => total + count(queue), 0);
  const [waiting, running] = [sum((queue) => queue.waiting), sum((queue) => queue.running)];
  if (busy.length === 0) return 'Nothing is waiting or running.';
  const slowest = busy
    .filter((queue) => queue.waiting > 0 && queue.estimate_seconds !== null)
    .sort((one, other) => other.estimate_seconds! - one.estimate_seconds!)[0];
  const longest = slowest
    ? `${slowest.suite}/${slowest.arch} takes longest: ${estimateInWords(slowest.estimate_seconds!)}.`
    : '';
  const still = busy.filter((queue) => queue.waiting > 0 && queue.estimate_seconds === null).length;
  const stuck = still === 0 ? '' : `${still === 1 ? '1 queue' : `${still} queues`} cannot make progress.`;
  return [underWaySentence({ waiting, running }), longest, stuck].filter(Boolean).join(' ');
}

function queueRow(queue: QueueResource) {
  const { suite, arch, waiting, running, paused, reasons } = queue;
  return {
    suite,
    arch,
    waiting,
    running,
    oldestAt: queue.oldest_at === null ? null : new Date(queue.oldest_at),
    wait: queue.wait_seconds === null ? '' : secondsInWords(queue.wait_seconds),
    perHour: queue.rate_per_hour,
    left: leftOf(queue),
    // The database has a pause before the dispatcher knows it.
    reasons: paused ? [`paused by ${decidedBy(paused)}`] : reasons,
  };
}

function leftOf({ waiting, estimate_seconds }: QueueResource): string {
  if (waiting === 0) return '';
  return estimate_seconds === null ? 'unknown' : estimateInWords(estimate_seconds);
}

/** The entries of the feed of queues: queues with waiting runs and paused queues, the latest first. */
export function queueEntries(queues: QueueResource[]): FeedEntry[] {
  return queues
    .flatMap((queue) => {
      const { paused, oldest_at: oldestAt, waiting, running } = queue;
      const since = paused ? paused.since : waiting > 0 ? oldestAt : null;
      if (since === null) return [];
      const { suite, arch, reasons, left: remainder } = queueRow(queue);
      const underWay = underWaySentence({ waiting, running });
      const expected = remainder === '' ? '' : `Done in: ${remainder}.`;
      const why = reasons.length === 0 ? '' : `Waiting because: ${reasons.join('; ')}.`;
      return {
        // A new pause makes a new entry; more waiting runs do not.
        path: `/status/queue/#${suite}/${arch}${paused ? `/paused/${since}` : ''}`,
        title: paused ? `${suite}/${arch} is paused` : `${suite}/${arch} has waiting runs`,
        text: [underWay, expected, why].filter((part) => part !== '').join(' '),
        date: new Date(since),
      };
    })
    .sort((one, other) => other.date.getTime() - one.date.getTime());
}
