import { Inject, Injectable } from '@nestjs/common';
import type { User } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import type { Parameters } from '../../http/parameters';
import { badRequestAt, Problem } from '../../http/problem';
import type { DryRunAnswer } from '../../runs/dry-run';
import { BatchPipe, TestListPipe } from '../../runs/submission.pipes';
import { SubmissionService } from '../../runs/submission.service';
import type { SubmissionAnswer } from '../../runs/submission.service';
import { submittedAt } from '../../runs/submitted-items';
import type { Submitted } from '../../runs/submitted-items';
import { BrowserSessions } from '../../sessions/browser-sessions';
import type { Page } from '../layout/page';
import { batchOf, optionsView, queryOf, RequestFieldsPipe } from './request-fields';
import type { RequestFields, RequestPart, Upload } from './request-fields';
import { curlOf, inFile, inForm, mistakesOfForm, previewView } from './request-view';

/** Runs that the page after a request lists; any others are only counted. */
const RUNS_SHOWN = 100;

const NO_FIELDS: RequestFields = new RequestFieldsPipe().transform(new Map());

/** Handles requests by form and by file, with the same rules as the API. */
@Injectable()
export class RequestPageService {
  constructor(
    private readonly submissions: SubmissionService,
    private readonly sessions: BrowserSessions,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  form(user: User, fields: RequestFields, preview: object | null = null): Page {
    const { server, extraAptSources } = this.configuration;
    const sources = extraAptSources.filter(({ users }) => users === undefined || users.includes(user.name));
    const { backends, variants } = server;
    const choices = { backends, variants, sources: sources.map(({ name }) => name) };
    return {
      template: 'account/request',
      data: { fields, server, inputs: optionsView(fields, choices), preview },
    };
  }

  /**
   * The form with a preview of the request, or with the mistakes.
   * @param base the address of this server, for absolute links
   */
  async preview(user: User, fields: RequestFields, base: string): Promise<Page> {
    const answer = await this.dryRun(user, () => this.read(fields));
    if (answer instanceof Problem) return this.form(user, fields, { mistakes: mistakesOfForm(answer) });
    const json = this.jsonOf(fields);
    const formUrl = `/user/${user.name}/test?${queryOf(fields)}`;
    return this.form(user, fields, { ...previewView(answer), json, curl: curlOf(json, base), formUrl });
  }

  /** The form with a preview of an uploaded file. @throws Problem as `submitFile` */
  async check(user: User, upload: Upload): Promise<Page> {
    checkChoice(upload);
    const answer = await this.dryRun(user, () => this.readFile(upload));
    if (answer instanceof Problem) throw inFile(answer, textOf(upload));
    return this.form(user, NO_FIELDS, previewView(answer));
  }

  /** The request as a file. @throws Problem 400 with each mistake; 413 when the request is too large */
  async exportFile(fields: RequestFields): Promise<string> {
    await this.read(fields);
    return this.jsonOf(fields);
  }

  /** @throws Problem whose mistakes are at the fields of the form */
  async submit(user: User, fields: RequestFields): Promise<Page> {
    const answer = await orRefusal(() => this.submitTests(user, () => this.read(fields)));
    if (answer instanceof Problem) throw inForm(answer);
    return answer;
  }

  /** @throws Problem whose mistakes are at the field of the file, or at the one without a choice */
  async submitFile(user: User, upload: Upload): Promise<Page> {
    checkChoice(upload);
    const answer = await orRefusal(() => this.submitTests(user, () => this.readFile(upload)));
    if (answer instanceof Problem) throw inFile(answer, textOf(upload));
    return answer;
  }

  private async submitTests(user: User, read: () => Promise<Submitted>): Promise<Page> {
    const requestor = await this.sessions.requestorOf(user);
    const answer = (await this.submissions.submit(await read(), requestor, null)) as SubmissionAnswer;
    const { runs, ignored, warnings } = answer;
    const data = { runs: runs.slice(0, RUNS_SHOWN), count: runs.length, ignored, warnings };
    return { template: 'account/submitted', data };
  }

  private dryRun(user: User, read: () => Promise<Submitted>): Promise<DryRunAnswer | Problem> {
    const asker = { userName: user.name, isAdmin: user.isAdmin, isOnPages: true as const };
    return orRefusal(async () => this.submissions.dryRun(await read(), asker));
  }

  /** @throws Problem 400 with each mistake; 413 when the request is too large */
  private async read(fields: RequestFields): Promise<Submitted> {
    const batch = this.batchOf(fields);
    if (batch.length === 0) throw badRequestAt('Choose a suite.', '#/suite');
    if (batch.every(({ arch }) => arch.length === 0)) throw badRequestAt('Choose an architecture.', '#/arch');
    if (batch.every(({ tests }) => tests.length === 0)) throw badRequestAt('Name a package.', '#/packages');
    const parameters: Parameters = new Map([['tests', { value: batch, isText: false, pointer: '#/tests' }]]);
    return new BatchPipe(this.configuration).transform(parameters);
  }

  private batchOf(fields: RequestFields): RequestPart[] {
    return batchOf(fields, this.configuration.server);
  }

  private jsonOf(fields: RequestFields): string {
    return JSON.stringify(this.batchOf(fields), null, 2);
  }

  /**
   * Reads a file in one of the two formats of the API: a batch, or a list of tests for one suite.
   * @throws Problem 400 when the file is not valid; 413 when it has too many tests
   */
  private async readFile({ file, suite, archs }: Upload): Promise<Submitted> {
    if (suite === '') return new BatchPipe(this.configuration).transform(file);
    const list = await new TestListPipe(this.configuration).transform(file);
    const { parts, ...rest } = submittedAt(list, suite, archs[0]!);
    return { parts: parts.map((part) => ({ ...part, archs })), ...rest };
  }
}

/** @throws Problem 400 for a list without an architecture */
function checkChoice({ suite, archs }: Upload): void {
  if (suite !== '' && archs.length === 0)
    throw badRequestAt('A list for one suite needs an architecture.', '#/arch');
}

function textOf({ file }: Upload): string {
  const value = file.get('tests')?.value;
  return Buffer.isBuffer(value) ? value.toString() : typeof value === 'string' ? value : '';
}

/** Returns a problem with status 400 or 413, so that the form can show it; throws any other error. */
async function orRefusal<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && [400, 413].includes(error.status)) return error;
    throw error;
  }
}
