import {
  type Administration,
  administration,
  type DeciderOptions,
  type SelectionFields,
} from '../administration/administration';
import { EXIT, Failure } from '../failure';
import { type AskOptions, confirm } from '../output/ask';
import { type OutputOptions, printJson, printTable, say } from '../output/print';

interface ManyOptions extends DeciderOptions, OutputOptions, AskOptions {
  package?: string;
  trigger?: string;
  suite?: string;
  arch?: string;
  reason?: string;
  everyone: boolean;
}

/**
 * Prints the ids of the runs that it ended. Asks first when they are not named one by one.
 * @throws Failure when there was nothing to end, or a run that was named could not be ended
 */
export async function cancelRuns(runIds: number[] | undefined, options: ManyOptions): Promise<void> {
  await changeRuns(runIds ?? [], null, options);
}

/** The same for the ids of the waiting runs that have another priority now. */
export async function changePriority(
  priority: number,
  runIds: number[] | undefined,
  options: ManyOptions,
): Promise<void> {
  await changeRuns(runIds ?? [], priority, options);
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
      'which runs are meant is not said',
      EXIT.usage,
      'name their ids, or say --package, --trigger, --suite or --arch',
    );
  }
  const selection: SelectionFields = {
    ...selectors,
    ...(runIds.length > 0 && { run_ids: runIds }),
    ...(reason !== undefined && { reason }),
  };
  const to = await administration(options, { everyone: options.everyone });
  if (hasSelectors) await ask(to, selection, priority, options);
  const changed = await to.change(selection, priority);
  tell(changed, priority, options);
  const missed = hasSelectors ? [] : runIds.filter((runId) => !changed.includes(runId));
  if (missed.length > 0) throw await whyNot(to, missed, priority);
}

/** @throws Failure when no run matches, or the answer is no */
async function ask(
  to: Administration,
  selection: SelectionFields,
  priority: number | null,
  options: ManyOptions,
): Promise<void> {
  const count = await to.matching(selection, priority);
  const runs = count === 1 ? '1 run is' : `${count} runs are`;
  if (count > 0)
    return confirm(`${runs} ${priority === null ? 'cancelled' : `given priority ${priority}`}`, options);
  const { suites, architectures } = await to.tested();
  const check = (what: string, name: string | undefined, known: string[]): void => {
    if (name === undefined || known.includes(name)) return;
    throw new Failure(
      `no run matches: ${what} "${name}" is unknown; there is ${known.join(', ')}`,
      EXIT.usage,
      `say another ${what}`,
    );
  };
  check('suite', options.suite, suites);
  check('arch', options.arch, architectures);
  const which = priority === null ? 'unfinished' : 'waiting';
  throw new Failure(
    `no ${which} run matches${priority === null ? '' : ', or all have that priority'}`,
    EXIT.failed,
    `proctor run list --state ${priority === null ? 'queued,leased,running' : 'queued'} has those that there are`,
  );
}

function tell(changed: number[], priority: number | null, { json }: ManyOptions): void {
  if (json) printJson(priority === null ? { cancelled: changed } : { changed });
  else if (changed.length > 0) printTable(changed, [{ head: 'RUN', of: (runId) => runId }], '');
  if (changed.length === 0) return;
  const what = priority === null ? 'cancelled' : `given priority ${priority}`;
  say(`${changed.length === 1 ? '1 run was' : `${changed.length} runs were`} ${what}`);
}

async function whyNot(to: Administration, missed: number[], priority: number | null): Promise<Failure> {
  const reasons: string[] = [];
  for (const runId of missed) reasons.push(await whyNotOne(to, runId, priority));
  return new Failure(
    `${missed.length} not ${priority === null ? 'cancelled' : 'changed'}; ${reasons.join('; ')}`,
    EXIT.failed,
    'proctor run list has the runs that there are',
  );
}

async function whyNotOne(to: Administration, runId: number, priority: number | null): Promise<string> {
  const run = await to.findRun(runId);
  if (typeof run === 'string') return run;
  const which = `run ${runId}`;
  if (run === null) return `${which}: there is none`;
  if (run.state === 'finished') return `${which}: it has finished`;
  if (priority !== null && run.state !== 'queued') return `${which}: it is executed already`;
  if (priority !== null && run.priority === priority) return `${which}: it has that priority`;
  return `${which}: it is another key's; administrators say --everyone`;
}
