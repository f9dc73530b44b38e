import { Controller, Inject } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { BusContext, IN_VAIN } from '@proctor/bus';
import {
  FinishedReport,
  MalformedMessage,
  parseMessage,
  REFUSED_REPORTS,
  REPORT_PATTERNS,
  reportOrigin,
  StartedReport,
  type RefusedReport,
  type ReportedAttempt,
} from '@proctor/contracts';
import { withLogFields, type LogFields } from '@proctor/process';
import { DispatcherMetrics } from '../dispatcher/dispatcher-metrics';
import { Dispatchers } from '../dispatcher/dispatchers';
import { retryLater } from '../dispatcher/retry-later';
import { TestbedRecorder } from '../testbeds/testbed-recorder';
import { FinishedReports } from './finished-reports';

/** Receives the durable reports of workers: acknowledged when the handler resolves, delivered again when it rejects. */
@Controller()
export class ReportsController {
  constructor(
    private readonly dispatchers: Dispatchers,
    private readonly finishedReports: FinishedReports,
    @Inject(TestbedRecorder) private readonly testbeds: Pick<TestbedRecorder, 'add'>,
    @Inject(DispatcherMetrics) private readonly metrics: Pick<DispatcherMetrics, 'countRedelivery'>,
  ) {}

  @EventPattern<string>(REPORT_PATTERNS.started)
  async onStarted(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<unknown> {
    const { scope, subject } = this.countRedelivery(context);
    const report = parseReport(StartedReport, payload, subject);
    const hasChanged = await withLogFields(fieldsOf(report), () =>
      retryLater(() => this.dispatchers.request(scope, { kind: 'started', report })),
    );
    return hasChanged ? undefined : IN_VAIN;
  }

  @EventPattern<string>(REPORT_PATTERNS.finished)
  async onFinished(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<unknown> {
    const { scope, subject } = this.countRedelivery(context);
    const report = parseReport(FinishedReport, payload, subject);
    const hasChanged = await withLogFields(fieldsOf(report), () =>
      retryLater(() => this.finishedReports.receive(scope, report)),
    );
    if (hasChanged && report.files.length > 0) this.testbeds.add(report);
    return hasChanged ? undefined : IN_VAIN;
  }

  /** A report of an unknown kind is treated as the end, whose worker waits for an answer. A start has none. */
  @EventPattern<string>(REFUSED_REPORTS)
  async onRefused(
    @Payload() { reason }: RefusedReport,
    @Ctx() { scope, subject }: BusContext,
  ): Promise<void> {
    const origin = reportOrigin(subject);
    if (!origin || origin.kind === 'started') return;
    await withLogFields(fieldsOf(origin), () =>
      retryLater(() => this.finishedReports.refuse(scope, origin, reason)),
    );
  }

  private countRedelivery(context: BusContext): BusContext {
    if (context.isRedelivered) this.metrics.countRedelivery(context.scope);
    return context;
  }
}

/** @throws MalformedMessage also if the body and the subject name different grants */
function parseReport<Report extends ReportedAttempt>(
  shape: new () => Report,
  payload: unknown,
  subject: string,
): Report {
  const report = parseMessage(shape, payload);
  const origin = reportOrigin(subject);
  for (const field of ['worker', 'runId', 'attempt', 'grantEpoch'] as const) {
    if (report[field] !== origin?.[field])
      throw new MalformedMessage(`${shape.name}: ${field}: ${report[field]} is not what the subject says`);
  }
  return report;
}

function fieldsOf({ worker, runId: run, attempt }: ReportedAttempt): LogFields {
  return { worker, run, attempt };
}
