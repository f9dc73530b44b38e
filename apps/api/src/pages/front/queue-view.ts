import type { Decision, StatusReply, Testbed, WorkerStatus } from '@proctor/contracts';
import type { QueueLength } from '@proctor/database';
import { secondFromNow } from '../../dispatchers/explanation.service';
import { decidedBy } from '../machines/decision-view';
import { spanOf, utc } from '../layout/times';

export interface QueueView {
  suite: string;
  arch: string;
  waiting: number;
  running: number;
  oldestAt: Date | null;
  /** Time until the queue is empty, `about 5 hours`; empty when no run waits, and when the time is not known. */
  busyFor: string;
  /** The reasons why runs wait, the most important first; sentences without a full stop. */
  reasons: string[];
}

/** @param status null when no dispatcher answers */
export function queueView(
  { suite, arch, waiting, running, oldestAt }: QueueLength,
  paused: Decision | null,
  status: StatusReply | null,
): QueueView {
  const current = status?.queues.find((queue) => queue.suite === suite);
  const busyForMs = paused ? null : (current?.emptyInMs ?? null);
  return {
    suite,
    arch,
    waiting,
    running,
    oldestAt,
    busyFor: busyForMs === null || waiting === 0 ? '' : `about ${spanOf(busyForMs)}`,
    // The database has a pause before the dispatcher knows it.
    reasons: paused ? [`paused by ${decidedBy(paused)}`] : (current?.reasons ?? []),
  };
}

/**
 * The reasons why the runs of an architecture wait, in sentences.
 * @param status null when no dispatcher answers
 */
export function obstacles(arch: string, status: StatusReply | null): string[] {
  if (!status) return [`No scheduler answers for ${arch}; accepted runs are kept until one does.`];
  if (status.workers.length === 0) return [`No worker asks for work on ${arch}.`];
  return status.workers.flatMap((worker) => [
    ...standingOf(worker).map((standing) => `Worker ${worker.worker} is ${standing}`),
    ...(worker.problem ? [`Worker ${worker.worker} takes no work: ${worker.problem}`] : []),
    ...worker.testbeds.flatMap((testbed) => testbedObstacle(worker, arch, testbed)),
  ]);
}

/** The reasons why a worker gets no runs or fewer: a user has drained it, or the dispatcher has quarantined or slowed it. */
function standingOf({ drained, standing, reason, untilMs }: WorkerStatus): string[] {
  const until = untilMs === undefined ? '' : ` until ${utc(secondFromNow(untilMs))}`;
  return [
    ...(drained ? [`drained by ${decidedBy(drained)}`] : []),
    ...(standing === 'sound' ? [] : [`${standing}${until}: ${reason ?? 'its attempts kept failing'}`]),
  ];
}

function testbedObstacle(
  { worker }: WorkerStatus,
  arch: string,
  { suite, state, detail }: Testbed,
): string[] {
  const image = `the image ${suite}/${arch}`;
  if (state === 'building') {
    const since = detail ? ` (${detail.replace(/^building\s+/, '')})` : '';
    return [`Worker ${worker} is building ${image}${since}.`];
  }
  if (state !== 'failed') return [];
  return [`Worker ${worker} could not build ${image}${detail ? `: ${detail}` : '.'}`];
}

export interface WorkerView {
  worker: string;
  arch: string;
  busy: number;
  slots: number;
  standing: string;
  images: string;
}

export function workerViews(status: StatusReply | null): WorkerView[] {
  return (status?.workers ?? []).map((worker) => ({
    worker: worker.worker,
    arch: status?.arch ?? '',
    busy: worker.busy,
    slots: worker.slots,
    standing: standingOf(worker).join('; ') || 'sound',
    images: imagesOf(worker),
  }));
}

function imagesOf({ testbeds, testbedsLeftOut }: WorkerStatus): string {
  const images = testbeds.map(({ suite, backend, state }) => `${suite} (${backend}, ${state})`);
  return [...images, ...(testbedsLeftOut === undefined ? [] : [`and ${testbedsLeftOut} more`])].join(', ');
}
