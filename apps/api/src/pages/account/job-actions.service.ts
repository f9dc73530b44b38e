import { Inject, Injectable } from '@nestjs/common';
import {
  BrokenOff,
  DatabaseUnavailable,
  OwnRuns,
  type Requestor,
  type RunRecord,
  type User,
} from '@proctor/database';
import { CONFIGURATION, type ApiConfiguration } from '../../configuration.token';
import { Problem } from '../../http/problem';
import { CancellationService } from '../../runs/cancellation.service';
import { obstacleTo } from '../../runs/obstacle';
import { PublicationService } from '../../runs/publication.service';
import { type RetryAnswer, RetryService } from '../../runs/retry.service';
import { BrowserSessions } from '../../sessions/browser-sessions';
import { changesNotice, type RunsOutcome } from '../layout/changes-notice';
import type { Page, Redirect } from '../layout/page';
import { runView, type RunView } from '../runs/run-view';
import { shortRunPath } from '../../runs/page-paths';

/** The actions on several runs. */
type JobAction = 'publish' | 'cancel' | 'retry';

interface Words {
  verb: string;
  /** The effect of the action. */
  outcome: string;
  /** What has happened to each run afterwards. */
  change: string;
  /** The text when the action is possible for none of the runs. */
  none: string;
  /** The reason why some selected runs are left out. */
  because: string;
  /** Path of the action below `/user/{name}`. */
  path: string;
}

const WORDS: Record<JobAction, Words> = {
  publish: {
    verb: 'Publish',
    outcome: 'Everybody can read their results, logs and artifacts at once. This cannot be undone.',
    change: 'made public',
    none: 'Choose your private runs. Everybody can read them afterwards.',
    because: 'already public, or not yours',
    path: '/test/publish',
  },
  cancel: {
    verb: 'Cancel',
    outcome: 'They end at once as tmpfail, even if they are running.',
    change: 'cancelled',
    none: 'All selected runs have finished already.',
    because: 'already finished, or not yours',
    path: '/jobs/cancel',
  },
  retry: {
    verb: 'Retry',
    outcome: 'Each test runs again with the same trigger and priority.',
    change: 'requested again',
    none: 'None of the selected runs can be retried.',
    because: 'not finished, not tested here now, or not yours',
    path: '/jobs/retry',
  },
};

/**
 * The page that asks before several runs are changed.
 * @param leftOut the number of selected runs that cannot be changed
 * @param backUrl the page on which the runs were selected
 */
function confirmView(action: JobAction, runs: RunView[], leftOut: number, backUrl: string) {
  const { verb, outcome, none, because, path } = WORDS[action];
  const many = runs.length === 1 ? 'one run' : `${runs.length} runs`;
  const notice = leftOut === 1 ? 'One selected run is' : `${leftOut} selected runs are`;
  return {
    title: `${verb} runs`,
    question: runs.length === 0 ? `${verb} runs` : `${verb} ${many}?`,
    button: `${verb} ${many}`,
    outcome: runs.length === 0 ? none : outcome,
    leftOut: leftOut === 0 || runs.length === 0 ? '' : `${notice} skipped: ${because}.`,
    path,
    backUrl,
    /** Whether the page has a field for ids of runs. */
    takesIds: action === 'publish',
    runs,
  };
}

/** Applies an action to several runs, with the services of the API. */
@Injectable()
export class RunChanges {
  constructor(
    private readonly publication: PublicationService,
    private readonly cancellation: CancellationService,
    private readonly retries: RetryService,
  ) {}

  /**
   * @returns the new or changed runs, and those that could not be changed
   * @throws DatabaseUnavailable when no run was changed, BrokenOff when some were
   */
  async runAction(action: JobAction, runs: RunRecord[], requestor: Requestor): Promise<RunsOutcome> {
    const ids = runs.map(({ runId }) => runId);
    if (action === 'publish') {
      const { ignored } = await this.publication.publish(ids, requestor);
      const refusals = ignored.map((runId) => ({ runId, reason: 'It is already public.' }));
      return { doneIds: ids.filter((runId) => !ignored.includes(runId)), refusals };
    }
    const outcome: RunsOutcome = { doneIds: [], refusals: [] };
    const changedIds: number[] = [];
    for (const runId of ids) {
      try {
        outcome.doneIds.push(await this.change(action, runId, requestor));
        changedIds.push(runId);
      } catch (error) {
        if (error instanceof DatabaseUnavailable && changedIds.length > 0)
          throw new BrokenOff(changedIds, error);
        // This run has changed since the page was shown. Go on with the others.
        if (!(error instanceof Problem) || ![403, 404, 409, 410].includes(error.status)) throw error;
        outcome.refusals.push({ runId, reason: error.detail });
      }
    }
    return outcome;
  }

  /** @returns the run that was made or changed */
  private async change(action: 'cancel' | 'retry', runId: number, requestor: Requestor): Promise<number> {
    if (action === 'retry') return ((await this.retries.retry(runId, requestor, null)) as RetryAnswer).run_id;
    await this.cancellation.cancel(runId, requestor);
    return runId;
  }
}

/** Changes several runs after the user has confirmed it. */
@Injectable()
export class JobActionsService {
  constructor(
    private readonly ownRuns: OwnRuns,
    private readonly changes: RunChanges,
    private readonly sessions: BrowserSessions,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Returns the page that asks, and the action. After the action the browser returns to the page on which the runs were
   * selected; when that is not known, to the list, or to the page of the run if another user owns it.
   * Administrators cancel and retry the runs of all users.
   */
  async prepare(user: User, action: JobAction, runIds: number[], formPage: string | null, address?: string) {
    const whose = user.isAdmin && action !== 'publish' ? null : user.userId;
    const runs = await this.ownRuns.byId(whose, runIds);
    const others = runs.find(({ requestor }) => requestor !== user.name);
    const backUrl = formPage ?? (others ? shortRunPath(others.runId) : `/user/${user.name}/jobs`);
    const possible = runs.filter((run) => this.isPossible(action, run));
    const question = (): Page => {
      const views = possible.map((run) => runView(run, this.configuration.server.neutral));
      const data = confirmView(action, views, runIds.length - views.length, backUrl);
      return { template: 'account/confirm', data };
    };
    const act = async (): Promise<Redirect> => {
      const requestor = await this.sessions.requestorOf(user, address);
      const outcome = await this.changes.runAction(action, possible, requestor);
      return { redirectTo: backUrl, notice: changesNotice(WORDS[action].change, outcome) };
    };
    return { question, act };
  }

  private isPossible(action: JobAction, run: RunRecord): boolean {
    if (action === 'publish') return run.isPrivate;
    if (action === 'cancel') return run.state !== 'finished';
    return run.state === 'finished' && obstacleTo(run, this.configuration) === null;
  }
}
