import type { StatusReply, Testbed, WorkerStatus } from '@proctor/contracts';
import type { QueueLength } from '@proctor/database';
import { utc } from './run-view';

export interface QueueView {
  suite: string;
  arch: string;
  waiting: number;
  running: number;
  oldest: string;
}

export function queueView({ suite, arch, waiting, running, oldestAt }: QueueLength): QueueView {
  return { suite, arch, waiting, running, oldest: oldestAt ? utc(oldestAt) : '' };
}

/**
 * What stands in the way of an architecture's runs, in sentences for people.
 * @param status null when no dispatcher answers
 */
export function obstacles(arch: string, status: StatusReply | null): string[] {
  if (!status) return [`No scheduler answers for ${arch}; accepted runs are kept until one does.`];
  if (status.workers.length === 0) return [`No worker is connected for ${arch}.`];
  return status.workers.flatMap((worker) => [
    ...(worker.problem ? [`Worker ${worker.worker} takes no work: ${worker.problem}`] : []),
    ...worker.testbeds.flatMap((testbed) => testbedObstacle(worker, arch, testbed)),
  ]);
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
  images: string;
}

export function workerViews(status: StatusReply | null): WorkerView[] {
  return (status?.workers ?? []).map(({ worker, busy, slots, testbeds }) => ({
    worker,
    arch: status?.arch ?? '',
    busy,
    slots,
    images: testbeds.map(({ suite, backend, state }) => `${suite} (${backend}, ${state})`).join(', '),
  }));
}
