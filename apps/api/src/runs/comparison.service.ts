import { Injectable } from '@nestjs/common';
import { RunPages, type RunReader, type RunRecord } from '@proctor/database';
import { notFound } from '../http/problem';
import { comparedPackages, type Comparison, settingsOf } from './comparison';
import { InstalledPackages } from './installed-packages';
import { VisibleRuns } from './visible-runs';

/** Compares two runs. */
@Injectable()
export class ComparisonService {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly pages: RunPages,
    private readonly installed: InstalledPackages,
  ) {}

  /** @throws Problem 404 if the reader may not see one of them; StoreUnavailable if the store does not answer */
  async compare([idOfA, idOfB]: [number, number], reader: RunReader): Promise<Comparison> {
    return this.between(...(await Promise.all([this.runs.one(idOfA, reader), this.runs.one(idOfB, reader)])));
  }

  /**
   * Compares two runs; the caller checks that the reader may see both.
   * @throws StoreUnavailable if the store does not answer
   */
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
   * The default run for a comparison: the last one before it that passed on the same place with the same pins and
   * sources.
   * @throws Problem 404 if there is none
   */
  async lastGoodBefore(runId: number, reader: RunReader): Promise<number> {
    const run = await this.runs.one(runId, reader);
    const pass = run.state === 'finished' ? await this.pages.passBefore(run) : null;
    if (pass) return pass.runId;
    throw notFound(`No run before run ${runId} passed on the same place with the same pins.`);
  }
}
