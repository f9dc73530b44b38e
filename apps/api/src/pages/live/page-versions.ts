import { isPackageName, runIdIn, WORKER_NAME } from '@proctor/contracts';
import type {
  OwnRuns,
  PackagePages,
  PublicRuns,
  RunReader,
  RunRecord,
  StatusLists,
  TriggerRuns,
} from '@proctor/database';
import type { WorkerResource } from '@proctor/resources';
import { maySee } from '../../auth/run-reader';
import { Problem } from '../../http/problem';
import type { QueuesService } from '../../queues/queues.service';
import { explainedTo } from '../../runs/visible-runs';
import type { WorkersService } from '../../workers/workers.service';
import { ALL, DAYS_BACK, daysAgo } from '../status/list-query';
import { changeOf, place } from '../status/package-columns';
import type { VersionOf } from './live-topics';
import type { WaitingPlaces } from './waiting-places';

/** The sources of the topics about more than one run or package. */
interface Groups {
  ownRuns: Pick<OwnRuns, 'version'>;
  triggers: Pick<TriggerRuns, 'version'>;
  queues: Pick<QueuesService, 'list'>;
  workers: Pick<WorkersService, 'list' | 'details'>;
  statuses: Pick<StatusLists, 'listChanged'>;
}

/**
 * The topics that pages can follow: `front`, `queues`, `workers`, `worker/NAME`, `package/NAME`, `trigger/PACKAGE/VERSION`,
 * `run/ID`, and for the runs of a user `runs-of/NAME`, or `runs-of/NAME/ID` for runs with lower ids. Only readers who may see a
 * private run can follow it. Names that only private runs have cannot be followed, and only users can follow their own runs.
 */
export function pageVersions(
  publicRuns: PublicRuns,
  pages: PackagePages,
  places: Pick<WaitingPlaces, 'words'>,
  { ownRuns, queues, triggers, workers, statuses }: Groups,
): VersionOf {
  return async (topic, reader) => {
    const [kind, name = ''] = topic.split('/');
    if (topic === 'front') return front(publicRuns, workers, statuses);
    if (topic === 'queues') return ofQueues(queues);
    if (topic === 'workers') return ofWorkers(workers);
    if (kind === 'worker' && WORKER_NAME.test(name)) return ofWorker(workers, name);
    if (kind === 'package' && isPackageName(name)) return pages.version(name);
    if (kind === 'trigger' && !topic.includes('\0'))
      return triggers.version(topic.slice('trigger/'.length), reader);
    if (kind === 'runs-of') return ofUser(ownRuns, topic, reader);
    const runId = kind === 'run' ? runIdIn(name) : null;
    const run = runId === null ? null : await publicRuns.find(runId);
    return run && maySee(reader, run) ? ofRun(run, reader, places) : '';
  };
}

async function front(
  publicRuns: PublicRuns,
  workers: Groups['workers'],
  statuses: Groups['statuses'],
): Promise<string> {
  const [queues, recent, machines, statusChanges] = await Promise.all([
    publicRuns.queues(),
    publicRuns.recent(1),
    ofWorkers(workers),
    statuses.listChanged(ALL, 1, null, daysAgo(DAYS_BACK)),
  ]);
  const changes = statusChanges.map((status) => [place(status), changeOf(status).runId]);
  return JSON.stringify([queues, recent.map(versionOfRun), machines, changes]);
}

async function ofUser(ownRuns: Groups['ownRuns'], topic: string, reader: RunReader): Promise<string> {
  const [, name = '', id, ...rest] = topic.split('/');
  const before = id === undefined ? null : runIdIn(id);
  const isTopic = rest.length === 0 && (before === null) === (id === undefined);
  return isTopic && name === reader.userName ? ownRuns.version(name, before) : '';
}

/** Leaves out estimates, because they change all the time. */
async function ofQueues(queues: Groups['queues']): Promise<string> {
  const rows = await queues.list(false);
  return JSON.stringify(rows.map((queue) => ({ ...queue, estimate_seconds: null })));
}

/** Leaves out the ends of quarantines and the states of machines, because they would change all the time. */
async function ofWorkers(workers: Groups['workers']): Promise<string> {
  const { workers: rows, silent_architectures: silent } = await workers.list(false);
  return JSON.stringify([silent, rows.map(steadyPart)]);
}

function steadyPart({ until: _until, machine: _machine, ...offer }: WorkerResource) {
  return offer;
}

async function ofWorker(workers: Groups['workers'], name: string): Promise<string> {
  try {
    const { offers, running, attempts } = await workers.details(name, false);
    return JSON.stringify([
      offers.map(steadyPart),
      running.map((run) => [run.run_id, run.state]),
      attempts.map((attempt) => [attempt.run_id, attempt.attempt, attempt.status]),
    ]);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return '';
    throw error;
  }
}

async function ofRun(
  run: RunRecord,
  reader: RunReader,
  places: Pick<WaitingPlaces, 'words'>,
): Promise<string> {
  const place = run.state === 'queued' ? await places.words(run, explainedTo(run, reader)) : '';
  return JSON.stringify([versionOfRun(run), run.isPrivate, place]);
}

function versionOfRun({ runId, state, attempt, priority, startedAt, updatedAt }: RunRecord): unknown[] {
  return [runId, state, attempt, priority, startedAt, updatedAt];
}
