import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { AffectedByAsked, AffectedByService, type ChangedPackage } from '../../runs/affected-by';
import { comparisonPath, packagePath } from '../../runs/page-paths';
import { PageInterceptor } from '../frame/page';
import type { Page } from '../frame/page';

/** The page of packages whose tests began to fail when another one had changed. No package's prefix is `-`. */
@Controller('packages/-/affected-by')
@Requires('nothing')
@UseInterceptors(PageInterceptor, BodyInterceptor)
export class AffectedByPageController {
  constructor(private readonly affected: AffectedByService) {}

  @Get()
  async show(@Sent() asked: AffectedByAsked): Promise<Page> {
    const { package: name, from, to } = asked;
    if (name === undefined) {
      const sentence = 'Which tests began to fail when a package had changed?';
      return { template: 'search/affected-by', data: { asked, sentence, isCut: false, runs: [] } };
    }
    const query: ChangedPackage = { package: name, from, to };
    const { runs, isCut } = await this.affected.find(query);
    const packages = new Set(runs.map((run) => run.package)).size;
    return {
      template: 'search/affected-by',
      data: {
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
      },
    };
  }
}

function sentenceOf({ package: name, from, to }: ChangedPackage, packages: number): string {
  const change = `${name} had changed${from ? ` from ${from}` : ''}${to ? ` to ${to}` : ''}`;
  const who = packages === 0 ? 'No package' : packages === 1 ? '1 package' : `${packages} packages`;
  return `${who} began to fail in a run in which ${change}.`;
}
