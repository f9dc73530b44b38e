import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { BusContext } from '@proctor/bus';
import { FinishedReport, parseMessage, StartedReport, SUBJECTS } from '@proctor/contracts';
import { Dispatchers } from '../dispatcher/dispatchers';
import { FinishedReports } from './finished-reports';

/** Durable reports of workers: acknowledged when the handler resolves, delivered again when it rejects. */
@Controller()
export class ReportsController {
  constructor(
    private readonly dispatchers: Dispatchers,
    private readonly finishedReports: FinishedReports,
  ) {}

  @EventPattern<string>(SUBJECTS.started)
  async started(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<void> {
    await this.dispatchers.ask(scope, { kind: 'started', report: parseMessage(StartedReport, payload) });
  }

  @EventPattern<string>(SUBJECTS.finished)
  async finished(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<void> {
    await this.finishedReports.take(scope, parseMessage(FinishedReport, payload));
  }
}
