import { Inject, Injectable } from '@nestjs/common';
import type { Fact } from '@proctor/contracts';
import { type PackageStatus, PublicRuns, RunPages } from '@proctor/database';
import { requestRows } from '@proctor/request-fields';
import type { RunRecord } from '@proctor/database';
import { StoreUnavailable } from '@proctor/store';
import { isOwn, mayEnd, maySee } from '../../auth/run-reader';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import type { Comparison } from '../../runs/comparison';
import { ComparisonService } from '../../runs/comparison.service';
import {
  artifactsPath,
  comparisonPath,
  errorPath,
  historyPath,
  logLinePath,
  logPath,
  runPath,
  shortRunPath,
} from '../../runs/page-paths';
import { removalSentences } from '../../runs/removed-files';
import { statusOf } from '../../runs/result-object';
import type { KnownOfRun } from '../../runs/triage.service';
import type { Viewer } from '../../sessions/viewer';
import { ownRows, runView } from './run-view';
import { tabIcon } from '../layout/mark';
import { packageLinks } from '../layout/package-links';
import { attemptView, factView } from './story-view';
import { changesView } from './compare-view';
import { excerptView } from './excerpt-view';
import {
  mismatches,
  progressOf,
  usualDuration,
  reproduceCommand,
  runSentence,
  snapshotCommands,
} from './run-sentence';
import { NO_TESTS, type TestsQuery, testsView } from './tests-view';
import { UnfinishedRunService } from './unfinished-run.service';

/** Number of runs whose tests are shown in a test's strip, including this run. */
const TESTS_OF_RUNS = 30;
const HOUR_MS = 3_600_000;
const MACHINE_RUNS_MAX = 20;
const ELSEWHERE_MAX = 100;

/** Loads the data of the page of a run. */
@Injectable()
export class RunPageService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly pages: RunPages,
    private readonly unfinished: UnfinishedRunService,
    private readonly comparisons: ComparisonService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param query which tests are listed */
  async view(run: RunRecord, viewer: Viewer, query: TestsQuery) {
    const { neutral } = this.configuration.server;
    const now = new Date(Date.now());
    const [facts, attempts, original, statuses, sameTrigger, unfinished] = await Promise.all([
      this.publicRuns.storyOf(run.runId, viewer.reader),
      this.pages.attemptsOf(run.runId),
      run.retryOf === null ? null : this.publicRuns.find(run.retryOf),
      this.publicRuns.packageStatuses([run.package]),
      run.trigger === null ? [] : this.pages.sameTrigger(run, ELSEWHERE_MAX),
      this.unfinished.view(run, viewer.reader, now),
    ]);
    const view = runView(run, neutral);
    const isOver = run.state === 'finished';
    const pass = isOver ? await this.pages.passBefore(run) : null;
    const comparison = pass && (await this.comparison(pass, run));
    const knownOfRun: KnownOfRun = { statuses, lastPass: pass, changes: comparison && comparison.packages };
    return {
      known: knownOfRun,
      run: view,
      requested: requestRows(run),
      own: ownRows(run),
      logUrl: (isOver ? run.logSize !== null : run.attempt > 0) ? logPath(run) : null,
      at: { created: run.createdAt, started: run.startedAt, finished: run.finishedAt },
      sentence: runSentence(run, neutral),
      icon: tabIcon(view.word),
      ...(isOver ? await this.resultView(run, query) : NO_RESULT),
      lastPass: pass && {
        ...runView(pass, neutral),
        at: pass.finishedAt,
        compareUrl: comparisonPath(pass.runId, run.runId),
        changes: comparison && changesView(comparison),
      },
      actions: actionsOf(run, viewer),
      ...unfinished,
      progress: progressOf(run, statuses, now),
      durations: usualDuration(run, statuses),
      supersededBy: run.supersededBy,
      retriedBy: retriedBy(run, facts),
      retryOf: original && maySee(viewer.reader, original) ? original.runId : null,
      elsewhere: elsewhereView(statuses, sameTrigger, run, neutral),
      command: reproduceCommand(run),
      snapshotCommands: snapshotCommands(run, this.configuration.server.packageLinks),
      links: packageLinks(this.configuration.server.packageLinks, run),
      attempts: attempts.map((attempt) => attemptView(attempt, run, neutral)),
      story: facts.map((fact) => factView(fact, neutral)),
    };
  }

  /** The part of the page that only finished runs have. */
  private async resultView(run: RunRecord, query: TestsQuery) {
    const { neutral } = this.configuration.server;
    const [tests, error, before, machine, testbed] = await Promise.all([
      this.publicRuns.testsOf(run.runId),
      this.publicRuns.errorOf(run.runId),
      this.pages.testsBefore(run, TESTS_OF_RUNS - 1),
      this.onMachine(run),
      this.pages.testbedOf(run.runId),
    ]);
    return {
      mismatches: mismatches(run, testbed).map(({ sentence, line }) => {
        return { sentence, logUrl: line === null ? null : logLinePath(run, line) };
      }),
      excerpt: error && excerptView(error.excerpt, run),
      // The page of an error is public, so a private run has no link to it.
      errorUrl: error && !run.isPrivate ? errorPath(error.signature) : null,
      tests: testsView({ tests, before, inLog: testbed?.tests ?? [] }, run, query),
      machine: machine
        .filter(({ runId }) => runId !== run.runId)
        .map((each) => ({ ...runView(each, neutral), at: each.finishedAt })),
      artifactsUrl: run.artifactsSize === null ? null : artifactsPath(run),
      installedUrl: `${runPath(run)}packages`,
      removals: removalSentences(run),
    };
  }

  /** Returns null while the files of the runs cannot be read. */
  private async comparison(pass: RunRecord, run: RunRecord): Promise<Comparison | null> {
    try {
      return await this.comparisons.between(pass, run);
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }

  /** Runs that the same worker finished between an hour before this run started and an hour after it finished. */
  private async onMachine({ worker, startedAt, finishedAt }: RunRecord): Promise<RunRecord[]> {
    if (worker === null || finishedAt === null) return [];
    const from = new Date((startedAt ?? finishedAt).getTime() - HOUR_MS);
    const to = new Date(finishedAt.getTime() + HOUR_MS);
    return this.pages.endedBy(worker, from, to, MACHINE_RUNS_MAX);
  }
}

/** The values of `resultView` for a run that has not ended. */
const NO_RESULT = {
  mismatches: [],
  excerpt: null,
  errorUrl: null,
  tests: NO_TESTS,
  machine: [],
  artifactsUrl: null,
  installedUrl: null,
  removals: [],
};

/** The user who retried a run for its requestor; null when that is the same user, or not known. */
function retriedBy({ retryOf, requestor }: RunRecord, facts: Fact[]): string | null {
  const actor = facts.find(({ kind }) => kind === 'requested')?.actor;
  return retryOf === null || actor === undefined || actor === `user ${requestor}`
    ? null
    : actor.replace(/^user /, '');
}

/** The addresses of the actions that the reader may do; null for any other. Without a login, a retry leads to the login first. */
function actionsOf(run: RunRecord, { user, reader }: Viewer) {
  const isOver = run.state === 'finished';
  const own = `/user/${user?.name}`;
  return {
    retryUrl: isOver ? (user ? `${own}/retry/${run.runId}` : `/api/v1/retry/${run.runId}`) : null,
    cancelUrl: !isOver && mayEnd(reader, run) ? `${own}/jobs/cancel` : null,
    publishUrl: run.isPrivate && isOwn(reader, run) ? `${own}/test/publish` : null,
  };
}

/**
 * The other places where the package is tested, each with its newest run that counts for the status and its newest run
 * for the same trigger.
 */
function elsewhereView(
  statuses: PackageStatus[],
  sameTrigger: RunRecord[],
  run: RunRecord,
  neutral: ApiConfiguration['server']['neutral'],
) {
  const placeOf = ({ suite, arch }: { suite: string; arch: string }): string => `${suite}/${arch}`;
  const places = new Set([...statuses, ...sameTrigger].map(placeOf));
  places.delete(placeOf(run));
  return [...places].sort().map((place) => {
    const [suite = '', arch = ''] = place.split('/');
    const latest = statuses.find((status) => placeOf(status) === place)?.latest;
    const same = sameTrigger.find((each) => placeOf(each) === place);
    return {
      place,
      url: historyPath({ package: run.package, suite, arch }),
      latest: latest && {
        url: shortRunPath(latest.runId),
        status: statusOf(latest.verdict, neutral) ?? '',
        version: latest.version,
        at: latest.date,
      },
      same: same && { url: shortRunPath(same.runId), status: runView(same, neutral).word },
    };
  });
}
