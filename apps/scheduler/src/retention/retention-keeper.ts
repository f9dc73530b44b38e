import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { WorkLoop, type Clock } from '@proctor/clock';
import { ruleSentence, sizeText } from '@proctor/contracts';
import { AwaitedReports, Expiry, ExpiryUnderWay } from '@proctor/database';
import { ExpiryPass, restMs, sweepOrphans } from '@proctor/retention';
import { MaintainedStore } from '@proctor/store';
import { CLOCK } from '../configuration.token';
import { RETENTION_SETTINGS, type RetentionSettings } from './retention-settings';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How often it checks whether a pass is due. */
const LOOK_MS = 15 * 60_000;
/** How often all files of the store are checked. */
const SWEEP_EVERY_MS = 7 * DAY_MS;

/** Removes what is older than the deployment's rules allow, once a day, in one process at a time. */
@Injectable()
export class RetentionKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Retention');
  private readonly loop: WorkLoop;
  private isAnnounced = false;

  constructor(
    @Inject(Expiry) private readonly expiry: Expiry,
    @Inject(AwaitedReports) private readonly awaitedReports: AwaitedReports,
    @Inject(MaintainedStore) private readonly store: MaintainedStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(RETENTION_SETTINGS) private readonly settings: () => RetentionSettings,
  ) {
    this.loop = new WorkLoop(clock, () => this.step());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Resolves when removing has ended. */
  beforeApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  private async step(): Promise<number> {
    if (this.settings().enabled) await this.check();
    return LOOK_MS;
  }

  private async check(): Promise<void> {
    try {
      const begin = await this.expiry.firstRemovalAt(this.settings().graceDays * DAY_MS);
      const now = await this.expiry.now();
      if (begin > now) {
        if (!this.isAnnounced)
          this.logger.log(`from ${begin.toISOString()} on what is old is removed: ${this.rules()}`);
        this.isAnnounced = true;
        return;
      }
      await this.expiry.alone(() => this.removeWhatIsDue(now));
    } catch (error) {
      // Another scheduler runs the pass.
      if (error instanceof ExpiryUnderWay || this.loop.isStopped) return;
      this.logger.warn(`what is old could not be removed, the rest follows later: ${String(error)}`);
    }
  }

  private async removeWhatIsDue(now: Date): Promise<void> {
    const marks = await this.expiry.marks();
    // A mark in the future is from before the clock was set back.
    const isDue = (name: 'pass' | 'sweep', everyMs: number): boolean =>
      Math.abs(now.getTime() - (marks.get(name)?.at.getTime() ?? 0)) >= everyMs;
    if (isDue('pass', this.settings().everyHours * HOUR_MS)) await this.pass(now);
    if (!this.loop.isStopped && isDue('sweep', SWEEP_EVERY_MS)) await this.sweep(now);
  }

  private async pass(beganAt: Date): Promise<void> {
    const pass = new ExpiryPass(this.expiry, this.store, this.settings(), {
      isRehearsal: false,
      pause: (workedMs) => this.rest(workedMs),
      isEnded: () => this.loop.isStopped,
      now: () => beganAt,
    });
    await pass.run();
    const { removedByRule: removed, stories, runs: rows } = pass.counts;
    for (const { rule, runs, bytes } of removed)
      this.logger.log(`${ruleSentence(rule)}: ${sizeText(bytes)} of ${runs} runs removed`);
    if (stories > 0) this.logger.log(`facts and attempts of ${stories} runs removed`);
    if (rows > 0) this.logger.log(`${rows} runs removed`);
    if (!this.loop.isStopped) await this.expiry.saveMark('pass', { at: beganAt, runId: 0 });
  }

  private async sweep(beganAt: Date): Promise<void> {
    const { removed, unknownRuns } = await sweepOrphans({
      expiry: this.expiry,
      store: this.store,
      awaited: (attempts) => this.awaitedReports.among(attempts),
      now: beganAt,
      pause: (workedMs) => this.rest(workedMs),
      isEnded: () => this.loop.isStopped,
    });
    if (removed > 0) this.logger.log(`files that no run has, removed from the store: ${removed}`);
    if (unknownRuns > 0) {
      const what =
        'attempts of runs that the database does not know, so it was restored to an earlier moment';
      this.logger.warn(`the store has files of ${unknownRuns} ${what}: they are kept`);
    }
    if (!this.loop.isStopped) await this.expiry.saveMark('sweep', { at: beganAt, runId: 0 });
  }

  private rest(workedMs: number): Promise<void> {
    return this.loop.pause(restMs(workedMs, this.settings().timePercentMax));
  }

  private rules(): string {
    const { artifactsDays, failedArtifactsDays, logsDays, packageBytesMax, storyDays, runDays } =
      this.settings();
    return (
      `artifacts after ${artifactsDays} days, those of failed runs after ${failedArtifactsDays}, logs after ${logsDays},` +
      ` files of a package above ${sizeText(packageBytesMax)}, facts and attempts after ${storyDays} days,` +
      ` runs themselves ${runDays === undefined ? 'never' : `after ${runDays} days`}` +
      ` (retention in proctor.yaml; \`proctor expire --dry-run\` counts them)`
    );
  }
}
