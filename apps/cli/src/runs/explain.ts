import type { ResultResource, TriageResource } from '@proctor/resources';
import { type OutputOptions, printJson, write } from '../output/print';
import { ago, plain, span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';
import { endWord } from './list-runs';
import { readRun } from './show-run';

/**
 * Prints why a run is in its state, and what to type next. With `json`, prints the run, and its triage if it failed.
 * @throws Failure if there is no such run
 */
export async function explainRun(
  runId: number,
  { json, ...options }: ServiceOptions & OutputOptions,
): Promise<void> {
  const service = await Service.find(options);
  const run = await readRun(service, runId);
  const hasFailed = run.status === 'fail' || run.status === 'tmpfail';
  const triage = hasFailed ? await service.request<TriageResource>(`/runs/${runId}/triage`) : null;
  if (json) return printJson({ run, triage });
  const lines =
    run.status === null ? ofUnfinished(run) : [ofFinished(run), ...(triage ? ofTriage(triage, run) : [])];
  write(lines.map((line) => `${plain(line)}\n`).join(''));
}

function ofUnfinished(run: ResultResource): string[] {
  const what = `run ${run.run_id} of ${run.package} on ${run.suite}/${run.arch}`;
  if (run.state !== 'queued') {
    const lines = [`${what} is executed by ${run.worker ?? 'a worker'} (attempt ${run.attempt})`];
    return [...lines, `follow it: proctor run log --follow ${run.run_id}`];
  }
  const { position, estimated_start: start, reasons = [] } = run;
  const place = position == null ? '' : `, at position ${position}`;
  return [
    `${what} waits${place} since ${ago(new Date(run.created_at))}`,
    start == null
      ? 'when it starts is not known'
      : `it is expected to start ${new Date(start).getTime() > Date.now() ? ago(new Date(start)) : 'now'}`,
    ...reasons.map((reason) => `- ${reason}`),
    `wait for it: proctor run wait ${run.run_id}`,
  ];
}

function ofFinished(run: ResultResource): string {
  const took = run.duration_seconds === null ? '' : ` after ${span(run.duration_seconds)}`;
  const message = run.message === null ? '' : `: ${run.message}`;
  return `run ${run.run_id} of ${run.package} ${run.version ?? ''} on ${run.suite}/${run.arch} ended as ${endWord(run)}${took}${message}`;
}

function ofTriage({ conclusion, step, evidence }: TriageResource, run: ResultResource): string[] {
  const next = {
    retry: `try it again: proctor run retry ${run.run_id}`,
    refresh: `ask for a reference: proctor run submit ${run.package} --suite ${run.suite} --arch ${run.arch} --trigger migration-reference/0`,
    report: `report a bug of ${step.package ?? run.package}; the log: proctor run log ${run.run_id}`,
    nothing: `there is nothing to do; the log: proctor run log ${run.run_id}`,
  };
  return [conclusion, ...evidence.map(({ question, answer }) => `- ${question} ${answer}`), next[step.kind]];
}
