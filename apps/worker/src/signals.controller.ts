import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { parseMessage, RecordedSignal, StopAttemptSignal, SUBJECTS } from '@proctor/contracts';
import { Worker } from './life/worker';

/** What dispatchers tell a worker without being asked. */
@Controller()
export class SignalsController {
  constructor(private readonly worker: Worker) {}

  @EventPattern<string>(SUBJECTS.workWaiting)
  workWaiting(): void {
    this.worker.wake();
  }

  @EventPattern<string>(SUBJECTS.recorded)
  recorded(@Payload() signal: unknown): void {
    this.worker.recorded(parseMessage(RecordedSignal, signal));
  }

  @EventPattern<string>(SUBJECTS.stopAttempt)
  stopAttempt(@Payload() signal: unknown): void {
    this.worker.stopAttempt(parseMessage(StopAttemptSignal, signal));
  }
}
