import type { PauseResource } from '@proctor/resources';
import type { StatusReply, Testbed, WorkerStatus } from '@proctor/contracts';
import type { QueueLength } from '@proctor/database';
import { secondFromNow } from '../../dispatchers/explanation.service';
import { decidedBy, pauseSentence } from '../machines/decision-view';
import type { ServiceTrouble } from '../layout/troubles';
import { utc } from '../layout/times';

/** One thing that keeps runs waiting. */
interface Obstacle {
  /** `arm64: no worker`, without a full stop. */
  what: string;
  /** The time since when; null when it is not known, or when `what` has it. */
  since: Date | null;
  /** The page with details. */
  url: string;
}

const QUEUES_URL = '/status/queue/';

/** What the dispatchers and the database say about the present. */
export interface PresentFacts {
  troubles: ServiceTrouble[];
  pauses: PauseResource[];
  queues: QueueLength[];
  /** The configured ones, and those that have unfinished runs. */
  architectures: string[];
  /** Status by architecture; null when the dispatcher does not answer. */
  statuses: Map<string, StatusReply | null>;
  /** Whether nothing was requested here yet. */
  isEmpty: boolean;
}

/**
 * What keeps runs waiting, each thing once: an architecture without workers, a pause, a worker for all its
 * architectures. Before the first request, what would keep it waiting.
 */
export function obstacles(facts: PresentFacts): Obstacle[] {
  const { troubles, pauses, queues, architectures, statuses, isEmpty } = facts;
  const busy = architectures.filter(
    (arch) => isEmpty || queues.some((queue) => queue.arch === arch && queue.waiting > 0),
  );
  const silent = busy.filter((arch) => !statuses.get(arch));
  const withoutWorker = isEmpty ? busy.filter((arch) => statuses.get(arch)?.workers.length === 0) : [];
  const others = troubles.filter(({ kind }) => kind !== 'paused' && kind !== 'no scheduler');
  const workers = busy.flatMap((arch) =>
    (statuses.get(arch)?.workers ?? []).flatMap((worker) => ofWorker(worker, arch)),
  );
  return [
    ...together(silent, 'no scheduler answers; runs wait until one does'),
    ...together(withoutWorker, 'no worker'),
    ...others.map(({ what, since }) => ({ what, since, url: QUEUES_URL })),
    ...pauses.map((pause) => ({ what: pauseSentence(pause), since: null, url: QUEUES_URL })),
    ...new Map(workers.map((each) => [each.what, each])).values(),
  ];
}

function together(architectures: string[], what: string): Obstacle[] {
  if (architectures.length === 0) return [];
  return [{ what: `${architectures.join(', ')}: ${what}`, since: null, url: QUEUES_URL }];
}

/** Why a worker gets no runs, or fewer, or none of a suite yet. */
function ofWorker(status: WorkerStatus, arch: string): Obstacle[] {
  const { worker, drained, standing, reason, untilMs, problem, testbeds } = status;
  const until = untilMs === undefined ? '' : ` until ${utc(secondFromNow(untilMs))}`;
  const sentences = [
    drained && `is drained by ${decidedBy(drained)}`,
    standing !== 'sound' && `is ${standing}${until}: ${reason ?? 'its attempts kept failing'}`,
    problem && `takes no work: ${problem}`,
    ...testbeds.map((testbed) => imageSentence(testbed, arch)),
  ];
  return sentences.flatMap((sentence) =>
    sentence ? [{ what: `Worker ${worker} ${sentence}`, since: null, url: `/status/workers/${worker}` }] : [],
  );
}

function imageSentence({ suite, state, detail }: Testbed, arch: string): string {
  const image = `the image ${suite}/${arch}`;
  if (state === 'building')
    return `is building ${image}${detail ? ` (${detail.replace(/^building\s+/, '')})` : ''}`;
  return state === 'failed' ? `could not build ${image}${detail ? `: ${detail}` : ''}` : '';
}
