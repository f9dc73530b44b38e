import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import {
  AffectedByForm,
  AffectedByService,
  type Affected,
  type ChangedPackage,
} from '../../runs/affected-by';
import { PageInterceptor, type Page } from '../layout/page';
import { comparisonPath, packagePath } from '../../runs/page-paths';

/** The form without results: no package was entered yet. */
function affectedByForm(query: AffectedByForm) {
  const sentence = 'Which tests began to fail when a package changed?';
  return { asked: query, sentence, isCut: false, runs: [] };
}

/** The results: the tests that began to fail after the package changed. */
function affectedByView(query: ChangedPackage, { runs, isCut }: Affected) {
  const packages = new Set(runs.map((run) => run.package)).size;
  return {
    asked: query,
    sentence: sentenceOf(query, packages),
    isCut,
    isUnindexed: true,
    runs: runs.map((run) => ({
      ...run,
      packageUrl: packagePath(run.package),
      compareUrl: comparisonPath(run.passedRunId, run.runId),
      from: run.from || 'not installed',
      to: run.to || 'not installed',
    })),
  };
}

function sentenceOf({ package: name, from, to }: ChangedPackage, packages: number): string {
  const change = `${name} changed${from ? ` from ${from}` : ''}${to ? ` to ${to}` : ''}`;
  const who = packages === 0 ? 'No package' : packages === 1 ? '1 package' : `${packages} packages`;
  return `${who} began to fail when ${change}.`;
}

/** The page of packages whose tests began to fail after another package changed. `-` is never the prefix of a package. */
@Controller('packages/-/affected-by')
@Requires('nothing')
@UseInterceptors(PageInterceptor, BodyInterceptor)
export class AffectedByPageController {
  constructor(private readonly affected: AffectedByService) {}

  @Get()
  async renderPage(@Sent() query: AffectedByForm): Promise<Page> {
    const { package: name, ...versions } = query;
    if (name === undefined) return { template: 'packages/affected-by', data: affectedByForm(query) };
    const changedPackage = { package: name, ...versions };
    const data = affectedByView(changedPackage, await this.affected.find(changedPackage));
    return { template: 'packages/affected-by', data };
  }
}
