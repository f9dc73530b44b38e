import { Inject, Injectable } from '@nestjs/common';
import { type StoredTestbed, type RunRecord, RunTestbeds } from '@proctor/database';
import { readTestbed } from '@proctor/result-files';
import { ResultStore } from '@proctor/store';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';

/** A package that a run had installed when its tests began. */
export interface InstalledPackage {
  name: string;
  version: string;
  /** Whether it was installed or upgraded for the tests, or was in the testbed before. */
  part: 'tests' | 'testbed';
  /** Its version in the testbed before; null if there was none, or the same. */
  before: string | null;
  /** The suite from which apt downloaded it; null if it is unknown. */
  suite: string | null;
}

/** All installed packages, sorted by name. */
export function installedPackages({
  testbed,
  added,
  suites,
}: NonNullable<StoredTestbed['packages']>): InstalledPackage[] {
  const ofTests = [...added].map(([name, version]): InstalledPackage => {
    return {
      name,
      version,
      part: 'tests',
      before: testbed.get(name) ?? null,
      suite: suites.get(name) ?? null,
    };
  });
  const ofTestbed = [...testbed].flatMap(([name, version]): InstalledPackage[] =>
    added.has(name) ? [] : [{ name, version, part: 'testbed', before: null, suite: null }],
  );
  return [...ofTests, ...ofTestbed].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The installed packages of a run, for the API and the data of its page. */
export function installedObject({ runId }: RunRecord, { packages, kernel, fallback }: StoredTestbed) {
  return {
    run_id: runId,
    kernel,
    fallback_release: fallback && fallback.release,
    packages: packages && installedPackages(packages),
  };
}

/** The installed packages of runs: stored when they ended, or else read from their files. */
@Injectable()
export class InstalledPackages {
  constructor(
    private readonly store: ResultStore,
    private readonly testbeds: RunTestbeds,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Returns the testbeds in the order of the runs. @throws StoreUnavailable if the store does not answer */
  async of(runs: RunRecord[]): Promise<StoredTestbed[]> {
    const testbeds = await this.testbeds.of(runs.map(({ runId }) => runId));
    return Promise.all(runs.map(async (run) => testbeds.get(run.runId) ?? this.read(run)));
  }

  /** @throws StoreUnavailable if the store does not answer */
  async ofOne(run: RunRecord): Promise<StoredTestbed> {
    const [testbed] = await this.of([run]);
    return testbed!;
  }

  /** Reads the testbed from the files of a run that has no stored one: an old run, or one whose testbed could not be stored. */
  private async read({ runId, attempt }: RunRecord): Promise<StoredTestbed> {
    const { testbed, added, suites, ...rest } = await readTestbed(
      // A run that was never granted has no files.
      (name, start) =>
        attempt === 0 ? Promise.resolve(null) : this.store.openFrom(runId, attempt, name, start),
      this.configuration.server.indexReadMs,
    );
    return { packages: testbed && { testbed, added, suites }, ...rest };
  }
}
