import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { BusContext } from '@proctor/bus';
import { FinishedReport, parseMessage, REPORT_PATTERNS, StartedReport } from '@proctor/contracts';
import { withLogFields, type LogFields } from '@proctor/process';
import { Dispatchers } from '../dispatcher/dispatchers';
import { orNotNow } from '../passing';
import { FinishedReports } from './finished-reports';

/** Durable reports of workers: acknowledged when the handler resolves, delivered again when it rejects. */
@Controller()
export class ReportsController {
  constructor(
    private readonly dispatchers: Dispatchers,
    private readonly finishedReports: FinishedReports,
  ) {}

  @EventPattern<string>(REPORT_PATTERNS.started)
  async started(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<void> {
    const report = parseMessage(StartedReport, payload);
    await withLogFields(fieldsOf(report), () =>
      orNotNow(() => this.dispatchers.ask(scope, { kind: 'started', report })),
    );
  }

  @EventPattern<string>(REPORT_PATTERNS.finished)
  async finished(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<void> {
    const report = parseMessage(FinishedReport, payload);
    await withLogFields(fieldsOf(report), () => orNotNow(() => this.finishedReports.take(scope, report)));
  }
}

function fieldsOf({ worker, runId: run, attempt }: StartedReport): LogFields {
  return { worker, run, attempt };
}
