import type { QueueResource, WorkerList, WorkerResource } from '@proctor/resources';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printJson, printTable, printNotice, write } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';
import { QUEUE_COLUMNS } from './queues';

interface StatusOptions extends ServiceOptions, OutputOptions {
  watch: boolean;
  /** Seconds. */
  every: number;
}

/** Moves the cursor to the top left and clears the screen. */
const CLEAR = `${String.fromCharCode(27)}[H${String.fromCharCode(27)}[J`;

/** Prints the overview. With `watch`, a terminal redraws it again and again; elsewhere each one follows the last. */
export async function printStatus(options: StatusOptions): Promise<void> {
  const service = await Service.find(options);
  for (;;) {
    const [queues, workers] = await Promise.all([
      service.request<QueueResource[]>('/queues'),
      service.request<WorkerList>('/workers'),
    ]).catch((error: unknown) => afterFailure(error, options));
    if (queues !== undefined && workers !== undefined) {
      if (options.watch && process.stdout.isTTY) write(CLEAR);
      if (options.json) printJson({ queues, ...workers });
      else printOverview(service, queues, workers);
    }
    if (!options.watch) return;
    await pause(options.every * 1000);
  }
}

/** With `watch`, a lost connection is only reported, and the next look may succeed. */
function afterFailure(error: unknown, { watch }: StatusOptions): [undefined, undefined] {
  if (!watch || !(error instanceof Failure) || error.code !== EXIT.tryLater) throw error;
  printNotice(error.message);
  return [undefined, undefined];
}

function printOverview(
  service: Service,
  queues: QueueResource[],
  { workers, silent_architectures: silent }: WorkerList,
): void {
  const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
  const names = new Set(workers.map(({ name }) => name)).size;
  const [slots, busy] = [
    sum(workers.map((worker) => worker.slots)),
    sum(workers.map((worker) => worker.busy)),
  ];
  printNotice(
    `${service.address.url}: ${sum(queues.map(({ waiting }) => waiting))} waiting,` +
      ` ${sum(queues.map(({ running }) => running))} running; ${names} ${names === 1 ? 'worker' : 'workers'}, ${busy} of ${slots} slots busy`,
  );
  for (const problem of [...silent.map(ofSilence), ...workers.flatMap(ofWorker)]) printNotice(`! ${problem}`);
  printTable(queues, QUEUE_COLUMNS, 'there is no queue');
}

function ofSilence(arch: string): string {
  return `the dispatcher of ${arch} does not answer: is a scheduler running?`;
}

function ofWorker({ name, arch, problem, drained, standing, reason }: WorkerResource): string[] {
  const problems = [
    problem === null ? null : `takes no work: ${problem}`,
    drained === null
      ? null
      : `is drained by ${drained.by}: ${drained.reason}; end it: proctor worker resume ${name}`,
    standing === 'sound' ? null : `is ${standing}: ${reason}; trust it: proctor worker trust ${name}`,
  ];
  return problems.flatMap((what) => (what === null ? [] : [`worker ${name} (${arch}) ${what}`]));
}
