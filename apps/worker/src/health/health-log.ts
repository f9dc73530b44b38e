import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { withLogFields, type Log } from '@proctor/process';
import { inShort, type WorkerHealth } from './worker-health';

const EVERY_MS = 600_000;

/** Writes the worker's health to the log now and then; in a JSON log the line has the whole report. */
export class HealthLog implements OnModuleInit, BeforeApplicationShutdown {
  private cancel: () => void = () => undefined;

  constructor(
    private readonly health: Pick<WorkerHealth, 'report'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.writeLater();
  }

  beforeApplicationShutdown(): void {
    this.cancel();
  }

  private writeLater(): void {
    this.cancel = this.clock.after(EVERY_MS, () => {
      this.writeLater();
      this.write().catch((error: unknown) => this.log.warn(`health cannot be read: ${String(error)}`));
    });
  }

  private async write(): Promise<void> {
    const health = await this.health.report();
    withLogFields({ health }, () => this.log.log(inShort(health)));
  }
}
