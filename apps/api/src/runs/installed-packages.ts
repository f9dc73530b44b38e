import { Injectable } from '@nestjs/common';
import { type KeptTestbed, type RunRecord, RunTestbeds } from '@proctor/database';
import { readTestbed } from '@proctor/result-files';
import { ResultStore } from '@proctor/store';

/** What runs had installed: as it was kept when they ended, else out of their files. */
@Injectable()
export class InstalledPackages {
  constructor(
    private readonly store: ResultStore,
    private readonly testbeds: RunTestbeds,
  ) {}

  /**
   * In the order of the runs.
   * @throws StoreUnavailable
   */
  async of(runs: RunRecord[]): Promise<KeptTestbed[]> {
    const kept = await this.testbeds.of(runs.map(({ runId }) => runId));
    return Promise.all(runs.map(async (run) => kept.get(run.runId) ?? this.read(run)));
  }

  /** Those of before anything was kept, and of those that nothing could be kept of. */
  private async read({ runId, attempt }: RunRecord): Promise<KeptTestbed> {
    const { testbed, added, ...rest } = await readTestbed((name, start) =>
      // One that was never granted has no files.
      attempt === 0 ? Promise.resolve(null) : this.store.openFrom(runId, attempt, name, start),
    );
    return { packages: testbed && { testbed, added }, ...rest };
  }
}
