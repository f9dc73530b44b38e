import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { visitorOf } from '../../auth/run-reader';
import type { ContextRequest } from '../../http/request-context';
import { PublicRunsService, type PackagePlace } from '../../public-data/public-runs.service';
import {
  installedObject,
  InstalledPackages,
  type InstalledPackage,
  installedPackages,
} from '../../runs/installed-packages';
import { PageInterceptor, type Page } from '../layout/page';
import type { StoredTestbed, RunRecord } from '@proctor/database';
import { logLinePath, runPath } from '../../runs/page-paths';
import { removalSentences } from '../../runs/removed-files';

/** Rows of a table. There is a limit because a test can install any number of packages. */
export const PACKAGES_SHOWN_MAX = 2_000;

const HEADINGS: Record<InstalledPackage['part'], string> = {
  tests: 'Installed or upgraded for the tests',
  testbed: 'Of the testbed',
};

/** The page of the packages that were installed in a run. */
export function installedView(run: RunRecord, { packages, kernel, fallback }: StoredTestbed) {
  const installed = packages && installedPackages(packages);
  const runUrl = runPath(run);
  return {
    run,
    runUrl,
    sentence: installed ? installedSentence(installed) : unknownSentence(run),
    removals: installed ? [] : removalSentences(run),
    kernel,
    fallback: fallback && {
      release: fallback.release,
      logUrl: run.logSize === null ? null : logLinePath(run, fallback.line),
    },
    parts: installed ? partsOf(installed) : [],
    jsonUrl: `${runUrl}packages.json`,
  };
}

/** `When its tests began, 364 packages were installed: 3 for the tests, 1 of them upgraded.` */
function installedSentence(installed: InstalledPackage[]): string {
  const ofTests = installed.filter(({ part }) => part === 'tests');
  const upgraded = ofTests.filter(({ before }) => before !== null).length;
  const was = installed.length === 1 ? '1 package was' : `${installed.length} packages were`;
  const forTests = ofTests.length === 0 ? 'none for the tests' : `${ofTests.length} for the tests`;
  return `When its tests began, ${was} installed: ${forTests}${upgraded > 0 ? `, ${upgraded} of them upgraded` : ''}.`;
}

function unknownSentence({ state }: RunRecord): string {
  return state === 'finished'
    ? 'There is no list of packages for this run.'
    : 'The list of packages appears when the run has finished.';
}

function partsOf(installed: InstalledPackage[]) {
  return (Object.keys(HEADINGS) as InstalledPackage['part'][]).flatMap((part) => {
    const all = installed.filter((each) => each.part === part);
    if (all.length === 0) return [];
    const packages = all.slice(0, PACKAGES_SHOWN_MAX);
    const hasSuites = packages.some(({ suite }) => suite !== null);
    return [{ heading: HEADINGS[part], packages, total: all.length, hasBefore: part === 'tests', hasSuites }];
  });
}

type RunPlace = PackagePlace & { run_id: string };

/** The packages that were installed in a run, as a page and as JSON. */
@Controller('packages/:prefix/:package/:suite/:arch/:run_id')
@Requires('nothing')
export class InstalledPagesController {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly installed: InstalledPackages,
  ) {}

  @Get('packages.json')
  async object(
    @Param() place: RunPlace,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { run, testbed } = await this.findInstalled(place, request, response);
    return installedObject(run, testbed);
  }

  @Get('packages')
  @UseInterceptors(PageInterceptor)
  async page(
    @Param() place: RunPlace,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page> {
    const { run, testbed } = await this.findInstalled(place, request, response);
    return { template: 'runs/installed', data: installedView(run, testbed) };
  }

  private async findInstalled(
    { run_id: runId, ...place }: RunPlace,
    request: ContextRequest,
    response: Response,
  ) {
    const run = await this.runs.run(place, runId, visitorOf(request));
    response.set('Cache-Control', run.isPrivate ? 'private, no-store' : 'no-cache');
    return { run, testbed: await this.installed.ofOne(run) };
  }
}
