import { Inject, Injectable, Logger } from '@nestjs/common';
import { systemClock, waitAtMost } from '@proctor/clock';
import { compareVersions } from '@proctor/contracts';
import { type RunRecord, TriageRuns, TriggerRuns } from '@proctor/database';
import { type ChangelogEntry, readSourceChangelog } from '@proctor/result-files';
import { ResultStore } from '@proctor/store';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import type { TriggerTest } from '../../runs/trigger-groups';
import { changesView } from './changes-view';

/** The number of the newest runs of the package itself that are read. */
const RUNS_READ_MAX = 5;

/** How long the page waits for a changelog, in milliseconds. */
export const CHANGELOG_MS = 2_000;

/** What is new in the version of a trigger: from the public runs that tested this version. */
@Injectable()
export class TriggerChanges {
  private readonly logger = new Logger('Changes');

  constructor(
    private readonly triggerRuns: TriggerRuns,
    private readonly triageRuns: TriageRuns,
    private readonly store: ResultStore,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param tests those of the trigger; null if no public run of the package itself has tested this version */
  async view(name: string, version: string, tests: TriggerTest[]) {
    const run = await this.runOf(name, version, tests);
    if (!run) return null;
    const [before, entries] = await Promise.all([this.versionBefore(run, version), this.entriesOf(run)]);
    return changesView(run, { version, before }, entries, this.configuration.server.packageLinks);
  }

  /** A run with sources of its requestor says nothing about the package of the archive. */
  private async runOf(name: string, version: string, tests: TriggerTest[]): Promise<RunRecord | undefined> {
    const own = tests
      .map(({ run }) => run)
      .filter((run) => run.package === name && run.state === 'finished' && !run.isPrivate && !run.cancelled)
      .sort((a, b) => b.runId - a.runId);
    const runs = await this.triggerRuns.whole(own.slice(0, RUNS_READ_MAX));
    return runs.find((run) => run.version === version && run.extraAptSources.length === 0);
  }

  private async versionBefore(run: RunRecord, version: string): Promise<string | null> {
    const before = await this.triageRuns.versionBefore(run);
    return before !== null && compareVersions(before, version) < 0 ? before : null;
  }

  /** The page does not need them: without an answer of the store in time it has none. */
  private async entriesOf({ runId, attempt }: RunRecord): Promise<ChangelogEntry[]> {
    const reading = readSourceChangelog(
      (name, start) => this.store.openFrom(runId, attempt, name, start),
      this.configuration.server.indexReadMs,
    );
    const logged = reading.catch((error: unknown) => {
      this.logger.warn(`run ${runId}: its changelog cannot be read: ${String(error)}`);
      return [];
    });
    return (await waitAtMost(logged, CHANGELOG_MS, systemClock)) ?? [];
  }
}
