import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Interval of the checks of the event loop's delay. More checks would keep an idle process busy. */
const LOOK_EVERY_MS = 50;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** The metrics that every process has. The delay of its event loop is measured from `start` to `stop`. */
export class ProcessMetrics {
  private delays: IntervalHistogram | null = null;

  /** @param about the labels of `proctor_info`: what is running */
  constructor(
    private readonly registry: Registry,
    about: Record<string, string>,
  ) {
    const registers = [registry];
    const info = { name: 'proctor_info', help: 'What is running; always 1.', labelNames: Object.keys(about) };
    new Gauge({ ...info, registers }).set(about, 1);
    this.gauge('proctor_memory_bytes', 'Memory that the process has.', () => process.memoryUsage.rss());
    this.gauge('proctor_up_seconds', 'Time since the process was started.', () => process.uptime());
    this.gauge(
      'proctor_event_loop_p99_seconds',
      'How late the event loop was in one of a hundred looks since the last scrape.',
      () => this.eventLoopP99(),
    );
    let lastUsed = 0;
    new Counter({
      name: 'proctor_processor_seconds_total',
      help: 'Processor time that the process has used.',
      registers,
      collect() {
        const { user, system } = process.cpuUsage();
        const used = (user + system) / MICROSECONDS;
        this.inc(used - lastUsed);
        lastUsed = used;
      },
    });
  }

  start(): void {
    this.delays = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
    this.delays.enable();
  }

  stop(): void {
    this.delays?.disable();
  }

  private gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }

  private eventLoopP99(): number {
    if (!this.delays || this.delays.count === 0) return 0;
    const late = this.delays.percentile(99) / NANOSECONDS - LOOK_EVERY_MS / 1000;
    this.delays.reset();
    return Math.max(0, late);
  }
}
