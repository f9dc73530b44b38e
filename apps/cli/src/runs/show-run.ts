import { OWN_FIELDS } from '@proctor/contracts';
import { FIELDS, valueText } from '@proctor/request-fields';
import type { ResultResource } from '@proctor/resources';
import { type OutputOptions, printAnswer, printFields, printTable, write } from '../output/print';
import { type TableCell, outputPlace, span } from '../output/table';
import { endWord } from './list-runs';
import type { ServiceOptions } from '../service/address';
import { RefusedByService, Service } from '../service/service';

/** Prints all properties of a run. @throws Failure if there is no such run */
export async function printRun(runId: number, options: ServiceOptions & OutputOptions): Promise<void> {
  const service = await Service.find(options);
  printAnswer(await readRun(service, runId), options, (run) => printFieldsOf(run, service));
}

/** Reads one run. @throws RefusedByService with advice on how to find the right id, if there is no such run */
export async function readRun(service: Service, runId: number): Promise<ResultResource> {
  try {
    return await service.request(`/test/${runId}`);
  } catch (error) {
    if (!(error instanceof RefusedByService) || error.status !== 404) throw error;
    const advice = `proctor run list shows the runs at ${service.address.url} that the key may see`;
    throw new RefusedByService(404, `there is no run ${runId}`, error.code, advice);
  }
}

function printFieldsOf(run: ResultResource, service: Service): void {
  const at = (path: string | null): string | null => (path === null ? null : service.at(path));
  const fields: [string, TableCell][] = [
    ['run', run.run_id],
    ['package', run.package],
    ['version', run.version],
    ['suite', run.suite],
    ['architecture', run.arch],
    ['state', run.state],
    ['status', endWord(run)],
    ...OWN_FIELDS.flatMap(({ row, result }): [string, TableCell][] =>
      row === undefined ? [] : [[row, run[result]]],
    ),
    ...FIELDS.map(({ row, kind, result }): [string, TableCell] => [row, valueText(kind, run[result])]),
    ['worker', run.worker],
    ['attempt', run.attempt],
    ['asked', new Date(run.created_at)],
    ['ended', run.date === null ? null : new Date(run.date)],
    ['took', run.duration_seconds === null ? null : span(run.duration_seconds)],
    ['page', at(run.page_url)],
    ['log', at(run.log_url)],
    ['artifacts', at(run.artifacts_url)],
  ];
  // A terminal shows no empty fields; in a pipe each field is always on the same line.
  printFields(
    outputPlace().isTerminal ? fields.filter(([, value]) => value !== null && value !== '') : fields,
  );
  if (!outputPlace().isTerminal) return;
  printTests(run);
  printFacts(run);
}

function printTests({ tests = [] }: ResultResource): void {
  if (tests.length === 0) return;
  write('\n');
  printTable(
    tests,
    [
      { head: 'TEST', of: (test) => test.name, isCut: true },
      { head: 'STATUS', of: (test) => test.status },
      { head: 'DETAIL', of: (test) => test.detail, isCut: true },
    ],
    '',
  );
}

function printFacts({ facts = [] }: ResultResource): void {
  if (facts.length === 0) return;
  write('\n');
  printTable(
    facts,
    [
      { head: 'WHEN', of: (fact) => new Date(fact.at) },
      { head: 'WHAT', of: (fact) => fact.kind },
      { head: 'ATTEMPT', of: (fact) => fact.attempt || null },
      { head: 'BY', of: (fact) => fact.actor },
      { head: 'WHY', of: (fact) => fact.reason, isCut: true },
    ],
    '',
  );
}
