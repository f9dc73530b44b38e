import type { QueueResource } from '@proctor/resources';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printTable } from '../output/print';
import { type TableColumn, span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

const length = (seconds: number | null): string | null => (seconds === null ? null : span(seconds));

/** Columns of a list of queues. */
export const QUEUE_COLUMNS: TableColumn<QueueResource>[] = [
  { head: 'SUITE', of: (queue) => queue.suite },
  { head: 'ARCH', of: (queue) => queue.arch },
  { head: 'WAITING', of: (queue) => queue.waiting },
  { head: 'RUNNING', of: (queue) => queue.running },
  { head: 'OLDEST', of: (queue) => (queue.oldest_at === null ? null : new Date(queue.oldest_at)) },
  { head: 'PER HOUR', of: (queue) => queue.rate_per_hour },
  { head: 'WAIT', of: (queue) => length(queue.wait_seconds) },
  { head: 'DONE IN', of: (queue) => length(queue.estimate_seconds) },
  { head: 'WHY', of: (queue) => queue.reasons[0] ?? null, isCut: true },
];

interface QueueOptions extends ServiceOptions, OutputOptions {
  suite?: string;
  arch?: string;
}

/** @throws Failure if the suite or architecture is not tested */
export async function listQueues(options: QueueOptions): Promise<void> {
  const { suite, arch } = options;
  const queues = await (await Service.find(options)).request<QueueResource[]>('/queues');
  requireKnown(
    'suite',
    suite,
    queues.map((queue) => queue.suite),
  );
  requireKnown(
    'architecture',
    arch,
    queues.map((queue) => queue.arch),
  );
  const selected = queues.filter(
    (queue) => (suite ?? queue.suite) === queue.suite && (arch ?? queue.arch) === queue.arch,
  );
  printAnswer(selected, options, (rows) => printTable(rows, QUEUE_COLUMNS, 'there is no queue'));
}

function requireKnown(what: string, name: string | undefined, choices: string[]): void {
  if (name === undefined || choices.includes(name)) return;
  throw new Failure(
    `the ${what} "${name}" is not tested; there is ${[...new Set(choices)].join(', ')}`,
    EXIT.usage,
    'proctor queue shows all',
  );
}
