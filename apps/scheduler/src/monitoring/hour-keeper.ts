import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Outages } from '@proctor/bus';
import { WorkLoop, type Clock } from '@proctor/clock';
import { HourFigures } from '@proctor/database';
import { CLOCK } from '../configuration.token';
import { Dispatchers } from '../dispatcher/dispatchers';
import { RETENTION_SETTINGS, type RetentionSettings } from '../retention/retention-settings';

const SAVE_EVERY_MS = 60_000;
const WHAT = 'saving the figures of the hour';

/** Saves the figures of the hour for the architectures that this process owns. */
@Injectable()
export class HourKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly outages: Outages;
  private readonly loop: WorkLoop;

  constructor(
    @Inject(Dispatchers) private readonly dispatchers: Pick<Dispatchers, 'figures'>,
    @Inject(HourFigures) private readonly hours: Pick<HourFigures, 'save' | 'saveMachines'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(RETENTION_SETTINGS)
    private readonly settings: () => Pick<RetentionSettings, 'enabled' | 'hourDays'>,
  ) {
    this.outages = new Outages(new Logger('Figures'), clock);
    this.loop = new WorkLoop(clock, () => this.save().then(() => SAVE_EVERY_MS));
  }

  /** Workers request work some seconds after a start: the first figures come after a pause. */
  onApplicationBootstrap(): void {
    this.loop.start(SAVE_EVERY_MS);
  }

  /** Resolves when writing has ended. */
  beforeApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  /** Never rejects. An architecture whose runs are being loaded has no figures yet. */
  async save(): Promise<void> {
    const { enabled, hourDays } = this.settings();
    for (const [arch, figures] of this.dispatchers.figures()) {
      if (!figures || this.loop.isStopped) continue;
      try {
        await this.hours.save(arch, figures.slots, enabled ? hourDays : null);
        await this.hours.saveMachines(figures.machines);
        this.outages.onSuccess(WHAT);
      } catch (error) {
        this.outages.onFailure(WHAT, `${arch}: ${String(error)}`);
      }
    }
  }
}
