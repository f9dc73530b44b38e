import { InstalledPackagesResource } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { installedObject, InstalledPackages } from './installed-packages';
import { VisibleRuns } from './visible-runs';
import { RUN_IN_PATH } from '../http/path-ids';

/** The packages that a run had installed. */
@Controller('api/v1/runs/:run_id/packages')
@Requires('key')
export class InstalledController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly installed: InstalledPackages,
  ) {}

  @Operation({
    tag: 'Results',
    id: 'listInstalledPackages',
    summary: 'The packages that a run had installed',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/packages`.',
      'The binary packages that were installed when the tests of the run began, by name. They are known about a second after the run has ended, and stay when its files are removed.',
    ].join('\n\n'),
    answer: {
      description: 'The packages.',
      of: InstalledPackagesResource,
      example: {
        run_id: 12,
        kernel: 'Linux 6.12.48+deb13-amd64',
        fallback_release: null,
        packages: [
          { name: 'bash', version: '5.2.37-2', part: 'testbed', before: null, suite: null },
          { name: 'libc6', version: '2.41-13', part: 'tests', before: '2.41-12', suite: 'trixie-security' },
        ],
      },
    },
    refusals: { 404: 'NotFound' },
  })
  @Get()
  async list(@Param('run_id', RUN_IN_PATH) runId: number, @CurrentReader() reader: ApiReader) {
    const run = await this.runs.one(runId, reader.runs);
    return installedObject(run, await this.installed.ofOne(run));
  }
}
