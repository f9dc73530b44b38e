import { Inject, Injectable } from '@nestjs/common';
import { type RunRecord, TriggerRuns } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { inSlices } from '../../http/slices';
import { type KnownOfRun, TriageService } from '../../runs/triage.service';
import type { Viewer } from '../../sessions/viewer';
import { KnownSources } from '../../sources/known-sources';
import { sourceWarnings } from '../../sources/source-warnings';
import { NoteLists } from '../notes/note-lists.service';
import { triageView } from './triage-view';

/** Makes what a run's page says of its failure: why it has failed, what people have written about it, and that its suite has no such package. */
@Injectable()
export class RunTriage {
  constructor(
    private readonly triages: TriageService,
    private readonly triggerRuns: TriggerRuns,
    private readonly notes: NoteLists,
    private readonly sources: KnownSources,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * @param known see TriageService
   * @param base of this server's addresses, without a slash at its end
   * @throws DatabaseUnavailable
   */
  async sections(run: RunRecord, viewer: Viewer, known: KnownOfRun, base: string) {
    const mayBeMissing = run.state === 'queued' || run.verdict === 'absent';
    const [triage, notes, missing] = await Promise.all([
      this.triage(run, viewer, known, base),
      this.notes.ofRun(run, viewer),
      mayBeMissing ? inSlices(sourceWarnings([run], this.sources)) : [],
    ]);
    return { triage, notes, missing };
  }

  /** Null for a run that has not failed. */
  private async triage(
    run: RunRecord,
    { user }: Viewer,
    known: KnownOfRun,
    base: string,
  ): Promise<ReturnType<typeof triageView> | null> {
    const [found, errorLines] = await Promise.all([
      this.triages.of(run, known),
      this.triggerRuns.errorLines([run.runId]),
    ]);
    const { bugReportUrl } = this.configuration.server;
    const place = { base, bugReportUrl, errorLine: errorLines.get(run.runId) ?? null };
    return found && triageView(run, found, user?.name ?? null, place);
  }
}
