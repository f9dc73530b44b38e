import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Repeater, type Clock } from '@proctor/clock';
import { withLogFields, type Log } from '@proctor/process';
import { healthSentence, type WorkerHealth } from './worker-health';

const EVERY_MS = 600_000;

/** Writes the worker's health to the log at intervals; in a JSON log the line has the whole report. */
export class HealthLog implements OnModuleInit, BeforeApplicationShutdown {
  private readonly lines: Repeater;

  constructor(
    private readonly health: Pick<WorkerHealth, 'report'>,
    clock: Clock,
    private readonly log: Log,
  ) {
    this.lines = new Repeater(clock, () => EVERY_MS, this.write.bind(this));
  }

  onModuleInit(): void {
    this.lines.start();
  }

  beforeApplicationShutdown(): void {
    this.lines.stop();
  }

  private async write(): Promise<void> {
    try {
      const health = await this.health.report();
      withLogFields({ health }, () => this.log.log(healthSentence(health)));
    } catch (error) {
      this.log.warn(`health cannot be read: ${String(error)}`);
    }
  }
}
