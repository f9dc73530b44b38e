import type { WorkerDetails } from '@proctor/resources';
import { type OutputOptions, printAnswer, printFields, printTable, write } from '../output/print';
import { type TableCell, outputPlace } from '../output/table';
import { endWord, RUN_COLUMNS } from '../runs/list-runs';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

/** @throws Failure if there is no such worker */
export async function printWorker(name: string, options: ServiceOptions & OutputOptions): Promise<void> {
  const service = await Service.find(options);
  const details = await service.request<WorkerDetails>(`/workers/${encodeURIComponent(name)}`);
  printAnswer(details, options, printDetails);
}

function printDetails({
  name,
  registered,
  offers,
  idle_reasons: idle,
  running,
  attempts,
}: WorkerDetails): void {
  const time = (at: string | null | undefined): Date | null => (at == null ? null : new Date(at));
  const fields: [string, TableCell][] = [
    ['worker', name],
    ['architectures', registered?.architectures.join(', ') ?? null],
    ['registered', time(registered?.since)],
    ['last seen', time(registered?.last_seen_at)],
    ['revoked', time(registered?.revoked_at)],
    ['last refusal', registered?.last_refusal ?? null],
    ...offers.map(({ arch, busy, slots, standing }): [string, TableCell] => [
      arch,
      `${busy} of ${slots} slots, ${standing}`,
    ]),
    ...offers.flatMap(({ testbeds }) =>
      testbeds.map(({ suite, backend, state, detail }): [string, TableCell] => [
        `${suite} ${backend}`,
        detail === undefined ? state : `${state}: ${detail}`,
      ]),
    ),
    ...idle.map((reason): [string, TableCell] => ['idle because', reason]),
  ];
  printFields(fields);
  if (!outputPlace().isTerminal) return;
  if (running.length > 0) {
    write('\n');
    printTable(running, RUN_COLUMNS, '');
  }
  if (attempts.length === 0) return;
  write('\n');
  printTable(
    attempts,
    [
      { head: 'ENDED RUN', of: (each) => each.run_id },
      { head: 'PACKAGE', of: (each) => each.package, isCut: true },
      { head: 'SUITE', of: (each) => each.suite },
      { head: 'OUTCOME', of: (each) => endWord(each) ?? each.outcome },
      { head: 'WHEN', of: (each) => new Date(each.ended_at) },
      { head: 'WHY', of: (each) => each.reason, isCut: true },
    ],
    '',
  );
}
