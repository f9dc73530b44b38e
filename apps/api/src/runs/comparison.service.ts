import { Injectable } from '@nestjs/common';
import { Results, RunPages, type RunRecord } from '@proctor/database';
import { notFound } from '../http/problem';
import { comparedPackages, type Comparison, settingsOf } from './comparison';
import { InstalledPackages } from './installed-packages';
import { noSuchRun } from './run-id';

/** What is different between two runs. */
@Injectable()
export class ComparisonService {
  constructor(
    private readonly results: Results,
    private readonly pages: RunPages,
    private readonly installed: InstalledPackages,
  ) {}

  /**
   * @param maySee whether the reader may know of a run
   * @throws Problem 404; StoreUnavailable
   */
  async compare([idOfA, idOfB]: [number, number], maySee: (run: RunRecord) => boolean): Promise<Comparison> {
    return this.between(...(await Promise.all([this.find(idOfA, maySee), this.find(idOfB, maySee)])));
  }

  /** The same of runs that the reader may know of. @throws StoreUnavailable */
  async between(a: RunRecord, b: RunRecord): Promise<Comparison> {
    const [ofA, ofB] = await this.installed.of([a, b]);
    const [one, other] = [
      { run: a, testbed: ofA! },
      { run: b, testbed: ofB! },
    ];
    return {
      a,
      b,
      settings: settingsOf(one, other),
      packages: comparedPackages(one, other),
      withoutList: [one, other].filter(({ testbed }) => !testbed.packages).map(({ run }) => run.runId),
    };
  }

  /**
   * The run that another one is compared to when none is named: the last one before it that passed on the same place with the same
   * pins and sources.
   * @throws Problem 404 when there is none
   */
  async lastGoodBefore(runId: number, maySee: (run: RunRecord) => boolean): Promise<number> {
    const run = await this.find(runId, maySee);
    const pass = run.state === 'finished' ? await this.pages.passBefore(run) : null;
    if (pass) return pass.runId;
    throw notFound(`No run before run ${runId} passed on the same place with the same pins.`);
  }

  private async find(runId: number, maySee: (run: RunRecord) => boolean): Promise<RunRecord> {
    const run = await this.results.find(runId);
    if (!run || !maySee(run)) throw noSuchRun(runId);
    return run;
  }
}
