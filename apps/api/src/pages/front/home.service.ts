import { Inject, Injectable } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { PublicRuns, type RunRecord, StatusLists } from '@proctor/database';
import { CONFIGURATION, type ApiConfiguration } from '../../configuration.token';
import { SharedAnswers } from '../../http/shared-answers';
import { runView } from '../runs/run-view';
import { ALL, DAYS_BACK, daysAgo } from '../status/list-query';
import { changesView } from './changes-view';
import { PresentWork } from './present-work.service';

/** What the service is, for who sees it for the first time, where the configuration says nothing. */
const GREETING =
  'This service tests Debian packages on request. It shows which packages fail, since when, and why.';

/** `350 waiting, 6 running.` */
export function stateSentence(waiting: number, running: number): string {
  if (waiting + running === 0) return 'Nothing is waiting or running.';
  return `${waiting.toLocaleString('en')} waiting, ${running.toLocaleString('en')} running.`;
}

const RUNS_SHOWN_MAX = 5;
/** Changes are read until so many places are found. */
const CHANGES_READ_MAX = 60;

/** Loads the data of the first page. */
@Injectable()
export class HomeService {
  private readonly views: SharedAnswers<Awaited<ReturnType<HomeService['buildHome']>>>;

  constructor(
    private readonly present: PresentWork,
    private readonly publicRuns: PublicRuns,
    private readonly lists: StatusLists,
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
      firstCommand: view.isEmpty ? firstCommand(baseUrl, suites[0] ?? '', architectures[0] ?? '') : null,
    };
  }

  private async buildHome() {
    const { neutral, serviceDescription: greeting = GREETING } = this.configuration.server;
    const recent = this.publicRuns.recent(RUNS_SHOWN_MAX);
    const [present, running, finishedRuns, changes, failing] = await Promise.all([
      this.present.view(recent.then((runs) => runs.length > 0)),
      this.publicRuns.running(RUNS_SHOWN_MAX),
      recent,
      this.lists.listChanged(ALL, CHANGES_READ_MAX, null, daysAgo(DAYS_BACK)),
      this.lists.count('failing', ALL),
    ]);
    const { waiting, running: runningCount } = present;
    const views = (runs: RunRecord[]) => runs.map((run) => runView(run, neutral));
    const state = stateSentence(waiting, runningCount);
    return {
      ...present,
      greeting,
      state,
      sentence: `${greeting} ${state}`,
      failing: `${failing.count.toLocaleString('en')}${failing.isMore ? '+' : ''}`,
      changes: changesView(changes),
      runs: { running: views(running), finished: views(finishedRuns) },
    };
  }
}

function firstCommand(baseUrl: string, suite: string, arch: string): string {
  return `curl --request POST --header "Auth-Key: $KEY" ${baseUrl}/api/v1/test/${suite}/${arch}/hello`;
}
