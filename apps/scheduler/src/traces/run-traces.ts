import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Outages } from '@proctor/bus';
import { waitAtMost, type Clock } from '@proctor/clock';
import type { Fact } from '@proctor/contracts';
import { Facts } from '@proctor/database';
import { Counter, type Registry } from 'prom-client';
import { CLOCK, REGISTRY } from '../configuration.token';
import { spansOf } from './run-spans';
import { SPAN_SINK, type SpanSink } from './span-sink';

/** The maximum number of finished runs whose spans wait; spans of further runs are dropped. */
const WAITING_MAX = 10_000;
/** How many runs' spans are sent together. */
const TOGETHER_MAX = 50;
/** How long waiting spans may be sent when the process stops. */
const LAST_MS = 5_000;

/**
 * Sends the trace of each finished run. It is made from the run's facts, so restarts leave no gap. Nothing waits for
 * it; spans that the collector does not accept in time are dropped and counted.
 */
@Injectable()
export class RunTraces implements BeforeApplicationShutdown {
  private readonly outages: Outages;
  private readonly outcomes: Counter<'outcome'>;
  private readonly waiting = new Set<number>();
  private sending: Promise<void> | null = null;

  constructor(
    @Inject(Facts) private readonly facts: Pick<Facts, 'ofRun'>,
    @Inject(SPAN_SINK) private readonly sink: SpanSink | null,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(REGISTRY) registry: Registry,
  ) {
    this.outages = new Outages(new Logger('Traces'), clock);
    this.outcomes = new Counter({
      name: 'proctor_run_traces_total',
      help: 'Ended runs whose trace was sent, or dropped.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  onPublished(facts: Fact[]): void {
    if (!this.sink) return;
    for (const { runId, state } of facts) {
      if (state !== 'finished' || this.waiting.has(runId)) continue;
      if (this.waiting.size < WAITING_MAX) this.waiting.add(runId);
      else this.outcomes.inc({ outcome: 'dropped' });
    }
    if (this.waiting.size > 0) this.sending ??= this.sendAll(this.sink).finally(() => (this.sending = null));
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.sending) await waitAtMost(this.sending, LAST_MS, this.clock);
    if (this.waiting.size > 0) this.outcomes.inc({ outcome: 'dropped' }, this.waiting.size);
    this.waiting.clear();
  }

  private async sendAll(sink: SpanSink): Promise<void> {
    while (this.waiting.size > 0) {
      const runs = [...this.waiting].slice(0, TOGETHER_MAX);
      for (const runId of runs) this.waiting.delete(runId);
      try {
        const spans = [];
        for (const runId of runs) spans.push(...spansOf(await this.facts.ofRun(runId)));
        await sink.send(spans);
        this.outcomes.inc({ outcome: 'sent' }, runs.length);
        this.outages.onSuccess('sending traces');
      } catch (error) {
        this.outcomes.inc({ outcome: 'dropped' }, runs.length);
        this.outages.onFailure('sending traces', String(error));
      }
    }
  }
}
