import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { WorkLoop, type Clock } from '@proctor/clock';
import { sizeText } from '@proctor/contracts';
import { MaintainedStore } from '@proctor/store';
import { CLOCK } from '../configuration.token';
import { RETENTION_SETTINGS, type RetentionSettings } from './retention-settings';

const LOOK_MS = 10_000;
/**
 * Percent of free space above the limit before runs are granted again, so that the state does not change with each
 * file.
 */
const MARGIN_PERCENT = 1;

/** Checks the free space of the store's disk: below the limit of the deployment no run is granted. */
@Injectable()
export class StoreRoom implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Why no run is granted, for people; null while runs are granted. */
  whyStopped: string | null = null;
  private readonly logger = new Logger('Store');
  private readonly listeners: (() => void)[] = [];
  private readonly loop: WorkLoop;

  constructor(
    @Inject(MaintainedStore) private readonly store: Pick<MaintainedStore, 'space'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(RETENTION_SETTINGS)
    private readonly settings: () => Pick<RetentionSettings, 'storeFreePercentMin'>,
  ) {
    this.loop = new WorkLoop(clock, () => this.check().then(() => LOOK_MS));
  }

  /** `listener` is called when `whyStopped` becomes null or stops being null. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The first check comes before the first grant. */
  async onApplicationBootstrap(): Promise<void> {
    await this.check();
    this.loop.start(LOOK_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  async check(): Promise<void> {
    const before = this.whyStopped;
    try {
      this.whyStopped = await this.stopReason();
    } catch (error) {
      // Reports that need the store fail for the same reason; runs continue as before.
      this.logger.warn(`how much room there is for results is not known: ${String(error)}`);
      return;
    }
    if ((before === null) === (this.whyStopped === null)) return;
    if (this.whyStopped === null) this.logger.log('the store has room again: runs are granted');
    else this.logger.error(`${this.whyStopped}: no run is granted until there is more`);
    for (const listener of this.listeners) listener();
  }

  private async stopReason(): Promise<string | null> {
    const { storeFreePercentMin: least } = this.settings();
    const space = least === 0 ? null : await this.store.space();
    if (!space || space.totalBytes === 0) return null;
    const percent = (100 * space.freeBytes) / space.totalBytes;
    if (percent >= least + (this.whyStopped === null ? 0 : MARGIN_PERCENT)) return null;
    // The text stays the same while the disk is full, so that dispatchers are not reconfigured for each megabyte.
    return (
      this.whyStopped ??
      `the store is nearly full: ${sizeText(space.freeBytes)} (${percent.toFixed(1)} %) are free, and ${least} % must be`
    );
  }
}
