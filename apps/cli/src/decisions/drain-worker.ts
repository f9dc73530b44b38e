import type { DecisionResource, WorkerDetails } from '@proctor/resources';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from '../failure';
import { printNotice } from '../output/print';
import { span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { RefusedByService, Service } from '../service/service';

interface DrainOptions extends ServiceOptions {
  reason: string;
  wait: boolean;
  /** Seconds from now. */
  deadline?: number;
}

const LOOK_MS = 2_000;
/** Seconds to wait after the deadline: dispatchers must read it, and the worker must receive the end of each run. */
const GRACE_SECONDS = 60;

/**
 * Drains a worker; with `wait`, resolves when it has finished its runs.
 * @throws Failure `tryLater` if it still executes something GRACE_SECONDS after the deadline
 */
export async function drainWorker(worker: string, options: DrainOptions): Promise<object> {
  const { reason, wait, deadline } = options;
  const seconds = deadline === undefined ? null : Math.max(1, Math.ceil(deadline));
  const service = await Service.find(options);
  const request = { worker, reason, ...(seconds !== null && { deadline_seconds: seconds }) };
  const drained = await service.post<DecisionResource>('/admin/drain', request);
  printNotice(`worker ${worker} is drained by ${drained.by}: ${drained.reason}`);
  if (seconds !== null)
    printNotice(`the runs that it still executes after ${span(seconds)} are given to other workers`);
  if (!wait) return drained;
  await emptied(service, worker, seconds === null ? Infinity : seconds + GRACE_SECONDS);
  printNotice(
    `worker ${worker} has finished its runs; it gets new ones again with: proctor worker resume ${worker}`,
  );
  return drained;
}

async function emptied(service: Service, worker: string, seconds: number): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  for (let printed: string | null = null; ;) {
    const busy = await whatItHas(service, worker);
    if (busy === null) return;
    if (busy !== printed) printNotice(`worker ${worker} has ${busy}`);
    printed = busy;
    if (performance.now() + LOOK_MS > endMs) {
      const advice = 'proctor status shows whether schedulers run; wait again with the same command';
      throw new Failure(`worker ${worker} still has ${busy}`, EXIT.tryLater, advice);
    }
    await pause(LOOK_MS);
  }
}

/**
 * Describes for people what the worker still executes, or which dispatchers do not answer; null if it executes nothing.
 * @throws Failure if the service does not answer
 */
async function whatItHas(service: Service, worker: string): Promise<string | null> {
  const details = await service
    .request<WorkerDetails>(`/workers/${encodeURIComponent(worker)}`)
    .catch((error: unknown) => {
      // A worker that never existed can be drained, too: it executes nothing.
      if (error instanceof RefusedByService && error.status === 404) return null;
      throw error;
    });
  if (details === null) return null;
  const { running, offers, silent_architectures: silent } = details;
  const slots = offers.reduce((sum, { busy }) => sum + busy, 0);
  const count = Math.max(running.length, slots);
  if (count === 0 && silent.length === 0) return null;
  if (count === 0) return `perhaps runs: no dispatcher of ${silent.join(', ')} answers`;
  return [`${count} to finish`, ...running.map((run) => `run ${run.run_id} of ${run.package}`)].join('; ');
}
