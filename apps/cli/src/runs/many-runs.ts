import type { QueueResource, ResultResource } from '@proctor/resources';
import { EXIT, Failure } from '../failure';
import { type AskOptions, confirm } from '../output/ask';
import { type OutputOptions, printJson, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { RefusedByService, Service } from '../service/service';

interface ManyOptions extends ServiceOptions, OutputOptions, AskOptions {
  package?: string;
  trigger?: string;
  suite?: string;
  arch?: string;
  reason?: string;
  everyone: boolean;
}

/**
 * Cancels runs and prints their ids. Asks first unless the runs are named by id.
 * @throws Failure if there was nothing to cancel, or a named run could not be cancelled
 */
export async function cancelRuns(runIds: number[] | undefined, options: ManyOptions): Promise<void> {
  await changeRuns(runIds ?? [], null, options);
}

/** Changes the priority of waiting runs, as `cancelRuns` cancels them, and prints the ids of the changed runs. */
export async function changePriority(
  priority: number,
  runIds: number[] | undefined,
  options: ManyOptions,
): Promise<void> {
  await changeRuns(runIds ?? [], priority, options);
}

/** A request to the API. `priority` is null if the runs are to be cancelled. */
interface Change {
  path: string;
  body: object;
  priority: number | null;
}

async function changeRuns(runIds: number[], priority: number | null, options: ManyOptions): Promise<void> {
  const { package: name, trigger, suite, arch, reason } = options;
  const selectors = {
    ...(name !== undefined && { package: name }),
    ...(trigger !== undefined && { trigger }),
    ...(suite !== undefined && { suite }),
    ...(arch !== undefined && { arch }),
  };
  const hasSelectors = Object.keys(selectors).length > 0;
  if (runIds.length === 0 && !hasSelectors) {
    throw new Failure(
      'no runs are selected',
      EXIT.usage,
      'name their ids, or use --package, --trigger, --suite or --arch',
    );
  }
  const service = await Service.find(options);
  const change: Change = {
    path: priority === null ? '/test/cancel' : '/test/priority',
    body: {
      ...selectors,
      ...(runIds.length > 0 && { run_ids: runIds }),
      ...(reason !== undefined && { reason }),
      ...(priority !== null && { priority }),
      // The key of the machine has no runs of its own, so the runs of all users are selected.
      ...((options.everyone || service.address.keyFile !== undefined) && { everyone: true }),
    },
    priority,
  };
  if (hasSelectors) await ask(service, change, options);
  const answer = await service.post<{ cancelled?: number[]; changed?: number[] }>(change.path, change.body);
  const changedIds = answer.cancelled ?? answer.changed ?? [];
  printChanged(changedIds, priority, options);
  const missed = hasSelectors ? [] : runIds.filter((runId) => !changedIds.includes(runId));
  if (missed.length > 0) throw await whyNot(service, missed, priority);
}

/** @throws Failure if no run matches, or the answer is no */
async function ask(service: Service, { path, body, priority }: Change, options: ManyOptions): Promise<void> {
  const { runs: count } = await service.post<{ runs: number }>(path, { ...body, dry_run: true });
  const runs = count === 1 ? '1 run is' : `${count} runs are`;
  if (count > 0)
    return confirm(`${runs} ${priority === null ? 'cancelled' : `given priority ${priority}`}`, options);
  const queues = await service.request<QueueResource[]>('/queues');
  for (const what of ['suite', 'arch'] as const) {
    const name = options[what];
    const tested = new Set(queues.map((queue) => queue[what]));
    if (name === undefined || tested.has(name)) continue;
    throw new Failure(
      `no run matches: ${what} "${name}" is unknown; there is ${[...tested].join(', ')}`,
      EXIT.usage,
      `choose another ${what}`,
    );
  }
  const which = priority === null ? 'unfinished' : 'waiting';
  throw new Failure(
    `no ${which} run matches${priority === null ? '' : ', or all have that priority'}`,
    EXIT.failed,
    `proctor run list --state ${priority === null ? 'queued,leased,running' : 'queued'} lists the runs that can be changed`,
  );
}

function printChanged(changedIds: number[], priority: number | null, { json }: ManyOptions): void {
  if (json) printJson(priority === null ? { cancelled: changedIds } : { changed: changedIds });
  else if (changedIds.length > 0) printTable(changedIds, [{ head: 'RUN', of: (runId) => runId }], '');
  if (changedIds.length === 0) return;
  const what = priority === null ? 'cancelled' : `given priority ${priority}`;
  printNotice(`${changedIds.length === 1 ? '1 run was' : `${changedIds.length} runs were`} ${what}`);
}

async function whyNot(service: Service, missed: number[], priority: number | null): Promise<Failure> {
  const reasons: string[] = [];
  for (const runId of missed) reasons.push(await whyNotOne(service, runId, priority));
  return new Failure(
    `${missed.length} not ${priority === null ? 'cancelled' : 'changed'}; ${reasons.join('; ')}`,
    EXIT.failed,
    'proctor run list shows all runs',
  );
}

async function whyNotOne(service: Service, runId: number, priority: number | null): Promise<string> {
  const which = `run ${runId}`;
  const run = await service.request<ResultResource>(`/test/${runId}`).catch((error: unknown) => {
    if (error instanceof RefusedByService && error.status === 404) return `${which}: there is none`;
    // The rules of retention have removed the run, as the message says.
    if (error instanceof RefusedByService && error.status === 410) return error.message;
    throw error;
  });
  if (typeof run === 'string') return run;
  if (run.state === 'finished') return `${which}: it has finished`;
  if (priority !== null && run.state !== 'queued') return `${which}: it is executed already`;
  if (priority !== null && run.priority === priority) return `${which}: it has that priority`;
  return `${which}: it belongs to another key; administrators use --everyone`;
}
