import type { ManyRunsAnswerResource } from '@proctor/resources';
import { EXIT, Failure } from '../failure';
import { type AskOptions, confirm } from '../output/ask';
import { type OutputOptions, printAnswer, printTable, printNotice } from '../output/print';
import { span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';
import { pathOfTrigger } from './triggers';

interface ActionOptions extends ServiceOptions, OutputOptions, AskOptions {
  group?: string;
  suite?: string;
  arch?: string;
  run?: number[];
  dryRun: boolean;
  reason?: string;
}

/** A change to a test, with its words. */
interface Action {
  name: 'retry' | 'refresh' | 'cancel';
  /** The participle of the sentence `3 tests are …`. */
  becomes: string;
}

/** @throws Failure if no test can be repeated, or the answer is no */
export function retryTests(trigger: string, options: ActionOptions): Promise<void> {
  return change(trigger, { name: 'retry', becomes: 'repeated' }, options);
}

/** @throws Failure if no reference run can be requested, or the answer is no */
export function refreshTests(trigger: string, options: ActionOptions): Promise<void> {
  return change(trigger, { name: 'refresh', becomes: 'given a new reference run' }, options);
}

/** @throws Failure if no test can be cancelled, or the answer is no */
export function cancelTests(trigger: string, options: ActionOptions): Promise<void> {
  return change(trigger, { name: 'cancel', becomes: 'cancelled' }, options);
}

/** Changes exactly the runs of the preview: runs that match only since then are not changed. */
async function change(trigger: string, { name, becomes }: Action, options: ActionOptions): Promise<void> {
  const { group, suite, arch, run, dryRun, reason } = options;
  const path = `${pathOfTrigger(trigger)}/${name}`;
  if (group === undefined && run === undefined)
    throw new Failure('no tests are selected', EXIT.usage, 'use --group regression, or --run ID');
  const service = await Service.find(options);
  const selection = { group: run === undefined ? group : undefined, run_ids: run, suite, arch };
  const preview = await service.post<ManyRunsAnswerResource>(path, { ...selection, dry_run: true });
  if (dryRun) return printAnswer(preview, options, printOutcome);
  const count = preview.runs.length;
  if (count === 0) throw nothingToDo(trigger, becomes, preview);
  const seconds = preview.estimate?.seconds ?? 0;
  const takes = name === 'cancel' || seconds === 0 ? '' : `, which takes ${span(seconds)} of slot time`;
  await confirm(`${count === 1 ? '1 test is' : `${count} tests are`} ${becomes}${takes}`, options);
  const ids = preview.runs.map(({ run_id: runId }) => runId);
  const answer = await service.post<ManyRunsAnswerResource>(path, {
    run_ids: ids,
    ...(reason !== undefined && { reason }),
  });
  const all = { ...answer, refused: [...preview.refused, ...answer.refused], left: preview.left };
  printAnswer(all, options, printOutcome);
  if (answer.refused.length === 0) return;
  const advice = `proctor trigger show ${trigger} shows how far they are`;
  throw new Failure(`${answer.refused.length} of ${count} tests are not ${becomes}`, EXIT.failed, advice);
}

function nothingToDo(trigger: string, becomes: string, { refused }: ManyRunsAnswerResource): Failure {
  printRefused(refused);
  const advice = `proctor trigger show ${trigger} has the tests, with their groups`;
  return new Failure(`no test of ${trigger} can be ${becomes}`, EXIT.failed, advice);
}

function printOutcome({ runs, refused, left, estimate }: ManyRunsAnswerResource): void {
  printRefused(refused);
  printTable(
    runs,
    [
      { head: 'RUN', of: (run) => run.run_id },
      { head: 'PACKAGE', of: (run) => run.package, isCut: true },
      { head: 'SUITE', of: (run) => run.suite },
      { head: 'ARCH', of: (run) => run.arch },
      { head: 'NEW RUN', of: (run) => run.new_run_id },
    ],
    'no test matches',
  );
  if (estimate !== null && estimate.seconds > 0)
    printNotice(`they take ${span(estimate.seconds)} of slot time`);
  if (left > 0) printNotice(`${left} more match than one request may name; repeat the command for them`);
}

function printRefused(refusals: ManyRunsAnswerResource['refused']): void {
  for (const { run_id: runId, package: name, reason } of refusals)
    printNotice(`run ${runId} of ${name}: ${reason}`);
}
