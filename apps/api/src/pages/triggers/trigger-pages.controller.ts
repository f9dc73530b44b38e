import { type TriggerAction } from '@proctor/resources';
import { Controller, Get, Inject, Param, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { type Requestor, TRIGGER_RUNS_MAX, TriggerRuns } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { readerOf } from '../../auth/run-reader';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import { TriggerActions } from '../../runs/trigger-actions.service';
import { selectedTests } from '../../runs/trigger-plan';
import { testPart, triggerPath, TriggerService } from '../../runs/trigger.service';
import { ACTION_IN_PATH } from '../../runs/triggers.controller';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { LoginGuard, SessionRequestor } from '../account/account-pages';
import { NoteLists } from '../notes/note-lists.service';
import { type ConfirmedAction, Form } from '../layout/form-action';
import { FormPage } from '../layout/form-page';
import { packageLinks } from '../layout/package-links';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { outcomeNotice, previewView } from './action-view';
import { triggerMatrix } from './trigger-matrix';
import { sharedErrors } from './shared-errors';
import { TriggerChanges } from './trigger-changes.service';
import { triggerRow, triggerView } from './trigger-view';
import {
  TRIGGER_SEARCH,
  type ShownQuery,
  ShownQueryPipe,
  type TriggerForm,
  TriggerFormPipe,
} from './triggers.pipes';
import { inSlices } from '../../http/slices';
import { BEFORE_RUN } from '../../http/path-ids';

const TRIGGERS_SHOWN_MAX = 50;
const TESTS_SHOWN_MAX = 100;

/** The pages of the runs that new versions of packages have triggered. */
@Controller('triggers')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class TriggersController {
  constructor(
    private readonly triggerRuns: TriggerRuns,
    private readonly triggers: TriggerService,
    private readonly notes: NoteLists,
    private readonly changes: TriggerChanges,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Redirects to the page of a trigger when the query is its whole name. */
  @Get()
  async list(
    @Query('query', TRIGGER_SEARCH) query: string,
    @Query('before', BEFORE_RUN) before: number | null,
  ): Promise<Page | Redirect> {
    if (query.includes('/') && (await this.triggerRuns.isKnown(query)))
      return { redirectTo: triggerPath(query) };
    const { triggers, before: next } = await this.triggerRuns.list(query, TRIGGERS_SHOWN_MAX, before);
    const urlOf = (fields: Record<string, string>): string =>
      `/triggers/?${new URLSearchParams({ ...(query && { query }), ...fields }).toString()}`;
    return {
      template: 'triggers/list',
      data: {
        query,
        triggers: triggers.map(triggerRow),
        isFirst: before === null,
        firstUrl: urlOf({}),
        nextUrl: next === null ? null : urlOf({ before: String(next) }),
        isUnindexed: before !== null || query !== '',
      },
    };
  }

  @Get(':package/:version')
  async one(
    @Param('package') name: string,
    @Param('version') version: string,
    @Query(ShownQueryPipe) query: ShownQuery,
    @CurrentViewer() viewer: Viewer,
  ): Promise<Page> {
    const trigger = `${name}/${version}`;
    const progress = await this.triggers.progress(trigger, viewer.reader);
    const { suite, arch, signature, before, name: namePart, after } = query;
    const here = selectedTests(progress.tests, { suite, arch });
    const group = query.group ?? null;
    const tests =
      group === null
        ? here.filter((test) => test.group !== 'superseded')
        : selectedTests(here, { groups: [group] });
    const errors = sharedErrors(tests);
    const { server } = this.configuration;
    const part =
      group === null
        ? { tests: [], before: null }
        : testPart(selectedTests(tests, { signature }), before, TESTS_SHOWN_MAX);
    const table =
      group === null
        ? await inSlices(triggerMatrix(tests, errors, { name: namePart, signature, after }, server))
        : null;
    const [listed, errorLines, notes, changes] = await Promise.all([
      this.triggerRuns.whole(part.tests.map(({ run }) => run)),
      this.triggerRuns.errorLines(errors.map(({ runId }) => runId)),
      this.notes.ofRuns(
        table ? table.rows.flatMap(({ failures }) => failures) : part.tests.map(({ run }) => run),
        viewer,
      ),
      group === null ? this.changes.view(name, version, progress.tests) : null,
    ]);
    const lists = {
      before,
      next: part.before,
      here,
      listed,
      table,
      name: namePart,
      after,
      errors,
      errorLines,
      notes,
    };
    const filter = { group, suite, arch, signature };
    const data = triggerView(trigger, progress, { query: filter, ...lists }, server.neutral);
    return {
      template: 'triggers/trigger',
      data: {
        ...data,
        changes,
        links: packageLinks(server.packageLinks, { package: name, suite: null, arch: null, version }),
        isCut: progress.isCut,
        newestMax: TRIGGER_RUNS_MAX.toLocaleString('en'),
      },
      followable: { kind: 'trigger', name: trigger },
    };
  }
}

/** The actions on many tests of a trigger. A page lists the runs first. */
@Controller('triggers/:package/:version')
@Requires('nothing')
@UseGuards(LoginGuard)
@UseInterceptors(PageInterceptor)
export class TriggerActionsController {
  constructor(
    private readonly triggers: TriggerService,
    private readonly actions: TriggerActions,
  ) {}

  @Form(':action')
  async act(
    @Param('package') name: string,
    @Param('version') version: string,
    @Param('action', ACTION_IN_PATH) action: TriggerAction,
    @Sent(TriggerFormPipe) { selection, reason }: TriggerForm,
    @SessionRequestor() requestor: Requestor,
    @FormPage() formPage: string | null,
  ): Promise<ConfirmedAction> {
    const trigger = `${name}/${version}`;
    const { tests } = await this.triggers.progress(trigger, readerOf(requestor));
    const url = triggerPath(trigger);
    const backUrl = formPage ?? url;
    return {
      question: async () => {
        const preview = await this.actions.preview(action, tests, selection, requestor);
        return {
          template: 'triggers/confirm',
          data: previewView(trigger, { url, backUrl }, action, preview),
        };
      },
      act: async () => {
        const outcome = await this.actions.execute(action, tests, selection, requestor, reason);
        return { redirectTo: backUrl, notice: outcomeNotice(action, outcome) };
      },
    };
  }
}
