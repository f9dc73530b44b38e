import type { DryRunAnswerResource, QueueResource, SubmissionAnswerResource } from '@proctor/resources';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printTable, printNotice } from '../output/print';
import { span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';
import { PLACED_RUN_COLUMNS } from './list-runs';
import { requestBody } from './request-options';
import { awaitRuns, type WaitOptions } from './wait';

/** Options of the command, without those that become fields of the request: see `requestBody`. */
interface SubmitOptions extends ServiceOptions, OutputOptions, WaitOptions {
  suite?: string[];
  arch?: string[];
  file?: string;
  dryRun: boolean;
  wait: boolean;
}

/**
 * Requests runs, all or none. With `wait`, ends as `run wait` does.
 * @throws Failure if the request is refused, or no test of it could be requested
 */
export async function submitRuns(packages: string[], options: SubmitOptions): Promise<void> {
  const service = await Service.find(options);
  const body = await batchOf(packages, options, service);
  if (options.dryRun) {
    const answer = await service.create<DryRunAnswerResource>('/test/batch', body, { dry_run: true });
    return printAnswer(answer, options, printDryRun);
  }
  const answer = await service.create<SubmissionAnswerResource>('/test/batch', body);
  if (!options.wait) printAnswer(answer, options, printRuns);
  for (const warning of answer.warnings) printNotice(`warning: ${warning}`);
  printIgnored(answer);
  if (answer.runs.length === 0) {
    const advice = 'proctor reject-list check PACKAGE says why one is not tested';
    throw new Failure('nothing was requested', EXIT.failed, advice);
  }
  if (options.wait) {
    printNotice(`asked for ${answer.runs.map(({ run_id }) => `run ${run_id}`).join(', ')}`);
    await awaitRuns(
      service,
      answer.runs.map(({ run_id }) => run_id),
      options,
    );
  }
}

interface Part {
  suite: string;
  arch: string[];
  tests: object[];
}

async function batchOf(packages: string[], options: SubmitOptions, service: Service): Promise<object> {
  const { file } = options;
  const { priority, ...shared } = requestBody(options);
  if (file !== undefined && packages.length > 0)
    throw new Failure('--file lists the packages: name none beside it', EXIT.usage);
  if (file === undefined && packages.length === 0) {
    const advice = 'as in: proctor run submit hello --suite trixie --arch amd64';
    throw new Failure('no package is named', EXIT.usage, advice);
  }
  const listed = file === undefined ? null : await listIn(file);
  // If each entry names its suite, `placeOf` is not needed.
  if (listed !== null && listed.every((item) => typeof item['suite'] === 'string'))
    return { tests: listed, ...(priority !== undefined && { priority }) };
  const place = await placeOf(options, service);
  const tests = (listed ?? packages.map((name) => ({ package: name }))).map((item) => ({
    ...shared,
    ...item,
  }));
  const parts: Part[] = place.suites.map((suite) => ({ suite, arch: place.archs, tests }));
  return { tests: parts, ...(priority !== undefined && { priority }) };
}

async function listIn(path: string): Promise<Record<string, unknown>[]> {
  const content = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new Failure(`${path} is no JSON: ${(error as Error).message}`, EXIT.usage);
  }
  const list = Array.isArray(value) ? value : (value as { tests?: unknown } | null)?.tests;
  const isList = Array.isArray(list) && list.every((item) => typeof item === 'object' && item !== null);
  if (isList) return list as Record<string, unknown>[];
  throw new Failure(`${path} must be an array of tests, as [{"package": "hello"}]`, EXIT.usage);
}

/** Fills in an omitted suite or architecture if the service has only one. */
async function placeOf(
  { suite, arch }: SubmitOptions,
  service: Service,
): Promise<{ suites: string[]; archs: string[] }> {
  if (suite !== undefined && arch !== undefined) return { suites: suite, archs: arch };
  const queues = await service.request<QueueResource[]>('/queues');
  const only = (option: string, names: string[]): string[] => {
    const choices = [...new Set(names)];
    if (choices.length === 1) return choices;
    throw new Failure(`--${option} is needed: the service tests ${choices.join(', ')}`, EXIT.usage);
  };
  return {
    suites:
      suite ??
      only(
        'suite',
        queues.map((queue) => queue.suite),
      ),
    archs:
      arch ??
      only(
        'arch',
        queues.map((queue) => queue.arch),
      ),
  };
}

function printRuns({ runs }: SubmissionAnswerResource): void {
  if (runs.length > 0) printTable(runs, PLACED_RUN_COLUMNS, '');
}

function printIgnored({ ignored }: Pick<SubmissionAnswerResource, 'ignored'>): void {
  const words = {
    'reject-list': 'the reject list has it',
    'invalid-name': 'not a possible name of a package',
  };
  for (const { package: name, arch, reason } of ignored)
    printNotice(`ignored ${name}${arch === undefined ? '' : ` on ${arch}`}: ${words[reason]}`);
}

function printDryRun(answer: DryRunAnswerResource): void {
  printTable(
    answer.runs,
    [
      { head: 'PACKAGE', of: (run) => run.package, isCut: true },
      { head: 'SUITE', of: (run) => run.suite },
      { head: 'ARCH', of: (run) => run.arch },
      { head: 'SAME AS RUN', of: (run) => run.doubles },
    ],
    'nothing would be asked for',
  );
  for (const { suite, arch, waiting, estimate_seconds: estimate } of answer.waits) {
    const when = estimate === null ? 'the time is unknown' : `about ${span(estimate)}`;
    printNotice(`${suite} on ${arch}: ${waiting} waiting, ${when}`);
  }
  for (const warning of answer.warnings) printNotice(`warning: ${warning}`);
  printIgnored(answer);
}
