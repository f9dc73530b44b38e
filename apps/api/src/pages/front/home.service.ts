import { Inject, Injectable } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import {
  PublicRuns,
  type RunRecord,
  type PackageStatus,
  type QueueLength,
  type StatusRecord,
} from '@proctor/database';
import { CONFIGURATION, type ApiConfiguration } from '../../configuration.token';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { pauseOfQueue } from '../../admin/decision-object';
import { SharedAnswers } from '../../http/shared-answers';
import { pauseSentence } from '../machines/decision-view';
import { obstacles, queueView, workerViews } from './queue-view';
import { ServiceState } from '../layout/service-state';
import { runView, inBrief } from '../runs/run-view';
import type { NeutralStatus } from '@proctor/contracts';
import { historyPath, packagePath, runPath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import { underWaySentence } from '../layout/sentence';
import { type NamedTrouble, troubleSentence } from '../layout/troubles';

const TROUBLES_NAMED_MAX = 3;

/** The troubles and the present work of the service. */
export function frontSentence(queues: QueueLength[], troubles: NamedTrouble[], now: Date): string {
  const wrong = troubles.slice(0, TROUBLES_NAMED_MAX).map((trouble) => troubleSentence(trouble, now));
  return [...wrong, activitySentence(queues)].join(' ');
}

function activitySentence(queues: QueueLength[]): string {
  const sum = (count: (queue: QueueLength) => number): number =>
    queues.reduce((total, queue) => total + count(queue), 0);
  const [waiting, running] = [sum((queue) => queue.waiting), sum((queue) => queue.running)];
  if (waiting + running === 0) return 'No public run waits, and none is executed.';
  const architectures = new Set(queues.map(({ arch }) => arch));
  const on = architectures.size === 1 ? [...architectures][0]! : `${architectures.size} architectures`;
  return `On ${on}: ${underWaySentence({ waiting, running })}`;
}

/** A run whose status differs from the run before: a new failure, or a package that passes again. */
export function changeView(change: StatusRecord, statuses: PackageStatus[], neutral: NeutralStatus) {
  const { package: name, suite, arch, version, trigger } = change;
  const url = historyPath(change);
  const now = statuses.find((each) => each.package === name && each.suite === suite && each.arch === arch);
  return {
    package: name,
    packageUrl: packagePath(name),
    place: `${suite}/${arch}`,
    url,
    runUrl: runPath(change),
    /** Empty for the first run of the package on this place. */
    before: statusOf(change.previousStatus, neutral) ?? '',
    status: statusOf(change.verdict, neutral) ?? '',
    version: version ?? 'n/a',
    at: change.finishedAt,
    trigger: inBrief(trigger ?? ''),
    strip: now?.strip ?? [],
    since: now?.failingSince?.version ?? '',
  };
}

const RUNS_SHOWN_MAX = 20;
const CHANGES_SHOWN_MAX = 10;

/** Loads the data of the first page. */
@Injectable()
export class HomeService {
  private readonly views: SharedAnswers<Awaited<ReturnType<HomeService['buildHome']>>>;

  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly explanation: ExplanationService,
    private readonly state: ServiceState,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {
    this.views = new SharedAnswers(systemClock, {
      sizeMax: 1,
      ageMaxMs: () => configuration.server.publicAgeMaxMs,
    });
  }

  /** Requests at the same time share one result. */
  async view(baseUrl: string) {
    const view = await this.views.find('home', () => this.buildHome());
    const { architectures, suites } = this.configuration.server;
    return {
      ...view,
      firstCommand: view.isFirstTime ? firstCommand(baseUrl, suites[0] ?? '', architectures[0] ?? '') : null,
    };
  }

  private async buildHome() {
    const { architectures, neutral } = this.configuration.server;
    const [queues, waiting, running, recent, changes, pauses, statuses, troubles] = await Promise.all([
      this.publicRuns.queues(),
      this.publicRuns.waiting(RUNS_SHOWN_MAX),
      this.publicRuns.running(RUNS_SHOWN_MAX),
      this.publicRuns.recent(RUNS_SHOWN_MAX),
      this.publicRuns.statusChanges(null, CHANGES_SHOWN_MAX, neutral === 'pass'),
      this.publicRuns.pauses(),
      this.explanation.statuses(architectures),
      this.state.troubles(),
    ]);
    const statusesOfPackages = await this.publicRuns.packageStatuses([
      ...new Set(changes.map((change) => change.package)),
    ]);
    const views = (runs: RunRecord[]) => runs.map((run) => runView(run, neutral));
    const isBusy = (arch: string): boolean =>
      queues.some((queue) => queue.arch === arch && queue.waiting > 0);
    const isFirstTime = queues.length === 0 && recent.length === 0;
    return {
      queues: queues.map((queue) =>
        queueView(queue, pauseOfQueue(pauses, queue), statuses.get(queue.arch) ?? null),
      ),
      waiting: views(waiting),
      running: views(running),
      recent: views(recent),
      sentence: frontSentence(queues, troubles, new Date()),
      changes: changes.map((change) => changeView(change, statusesOfPackages, neutral)),
      workers: [...statuses.values()].flatMap(workerViews),
      obstacles: [
        ...pauses.map(pauseSentence),
        ...architectures.flatMap((arch) =>
          isBusy(arch) || isFirstTime ? obstacles(arch, statuses.get(arch) ?? null) : [],
        ),
      ],
      isFirstTime,
      isMoving: queues.length > 0,
    };
  }
}

function firstCommand(baseUrl: string, suite: string, arch: string): string {
  return `curl --request POST --header "Auth-Key: $KEY" ${baseUrl}/api/v1/test/${suite}/${arch}/hello`;
}
