import { Controller, type OnApplicationBootstrap } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { BusStrategy } from '@proctor/bus';
import { parseMessage, RecordedSignal, SlotsWanted, StopAttemptSignal, SUBJECTS } from '@proctor/contracts';
import { Worker } from './worker';

/** Receives the signals of dispatchers to this worker. */
@Controller()
export class SignalsController implements OnApplicationBootstrap {
  constructor(
    private readonly worker: Worker,
    private readonly strategy: BusStrategy,
  ) {}

  /** Resolves when all signals can arrive. */
  async onApplicationBootstrap(): Promise<void> {
    const { name, architectures } = this.worker;
    const { strategy } = this;
    await Promise.all([strategy.serveWorker(name), ...architectures.map((arch) => strategy.serve(arch))]);
  }

  @EventPattern<string>(SUBJECTS.workWaiting)
  workWaiting(): void {
    this.worker.wake();
  }

  @EventPattern<string>(SUBJECTS.slotsWanted)
  slotsWanted(@Payload() signal: unknown): void {
    this.worker.wake(parseMessage(SlotsWanted, signal).slots);
  }

  @EventPattern<string>(SUBJECTS.recorded)
  onRecorded(@Payload() signal: unknown): void {
    this.worker.onRecorded(parseMessage(RecordedSignal, signal));
  }

  @EventPattern<string>(SUBJECTS.stopAttempt)
  stopAttempt(@Payload() signal: unknown): void {
    this.worker.stopAttempt(parseMessage(StopAttemptSignal, signal));
  }
}
