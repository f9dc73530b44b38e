import type {
  RegisteredWorkerList,
  RegisteredWorkerResource,
  WorkerList,
  WorkerResource,
} from '@proctor/resources';
import { type OutputOptions, printJson, printTable, printNotice } from '../output/print';
import type { TableColumn } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

const time = (at: string | null): Date | null => (at === null ? null : new Date(at));

const REGISTERED: TableColumn<RegisteredWorkerResource>[] = [
  { head: 'NAME', of: (worker) => worker.name },
  { head: 'ARCHITECTURES', of: (worker) => worker.architectures.join(',') },
  { head: 'PRIVATE', of: (worker) => (worker.private ? 'yes' : 'no') },
  { head: 'ADDED', of: (worker) => time(worker.created_at) },
  { head: 'REVOKED', of: (worker) => time(worker.revoked_at) },
  { head: 'SEEN', of: (worker) => time(worker.last_seen_at) },
  { head: 'SEEN FROM', of: (worker) => worker.last_seen_from },
  { head: 'REFUSED', of: (worker) => worker.refusals },
  { head: 'LAST REFUSED', of: (worker) => time(worker.last_refused_at) },
  { head: 'WHY', of: (worker) => worker.last_refusal, isCut: true },
];

const CONNECTED: TableColumn<WorkerResource>[] = [
  { head: 'NAME', of: (worker) => worker.name },
  { head: 'ARCH', of: (worker) => worker.arch },
  { head: 'SLOTS', of: (worker) => worker.slots },
  { head: 'BUSY', of: (worker) => worker.busy },
  { head: 'STANDING', of: (worker) => worker.standing },
  { head: 'DRAINED BY', of: (worker) => worker.drained?.by ?? null },
  { head: 'READY FOR', of: readySuites, isCut: true },
  { head: 'WHY NOT', of: whyNot, isCut: true },
];

/** Prints the active workers; with `registered`, all registered workers and when each was last seen or refused. */
export async function listWorkers({
  registered,
  json,
  ...options
}: ServiceOptions & OutputOptions & { registered: boolean }): Promise<void> {
  const service = await Service.find(options);
  if (registered) return listRegistered(service, json);
  const answer = await service.request<WorkerList>('/workers');
  if (json) return printJson(answer);
  printTable(
    answer.workers,
    CONNECTED,
    'no worker is connected; to see the registered ones: proctor worker list --registered',
  );
  for (const arch of answer.silent_architectures)
    printNotice(`the dispatcher of ${arch} does not answer: is a scheduler running?`);
}

async function listRegistered(service: Service, json = false): Promise<void> {
  const answer = await service.request<RegisteredWorkerList>('/admin/workers');
  if (json) return printJson(answer);
  const whenEmpty = 'there are no workers; add one: proctor worker add NAME --arch ARCH';
  printTable(answer.workers, REGISTERED, whenEmpty);
}

function readySuites({ testbeds }: WorkerResource): string {
  return testbeds.flatMap(({ suite, state }) => (state === 'ready' ? [suite] : [])).join(',');
}

function whyNot(worker: WorkerResource): string | null {
  return worker.problem ?? worker.drained?.reason ?? worker.reason;
}
