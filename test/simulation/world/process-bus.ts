import {
  MemoryBus,
  type BusMessage,
  type MemoryBroker,
  type ReportConsumption,
  type ReportHandler,
} from '@proctor/bus';
import type { SimulatedProcess } from './simulated-process';

/** A process's connection: what arrives for a frozen process waits, as in a socket's buffer. */
export class ProcessBus extends MemoryBus {
  constructor(
    broker: MemoryBroker,
    private readonly process: SimulatedProcess,
  ) {
    super(seenBy(broker, process));
  }

  override request<T>(subject: string, body: object, timeoutMs: number): Promise<T> {
    return this.process.gate(super.request<T>(subject, body, timeoutMs));
  }

  override report(subject: string, body: object): Promise<void> {
    return this.process.gate(super.report(subject, body));
  }

  override subscribe(subject: string, handler: (message: BusMessage) => void): () => void {
    return super.subscribe(subject, (message) => this.process.run(() => handler(message)));
  }

  override consumeReports(scope: string, handler: ReportHandler): Promise<ReportConsumption> {
    return super.consumeReports(scope, async (report) => {
      await this.process.gate(Promise.resolve());
      return handler(report);
    });
  }
}

/** The broker with the process's timers (time-outs, heartbeats), while what is on its way travels in the world's time. */
function seenBy(broker: MemoryBroker, process: SimulatedProcess): MemoryBroker {
  const view = Object.create(broker) as MemoryBroker;
  const travel: MemoryBroker['travel'] = (message, arrive) => broker.travel(message, arrive);
  return Object.assign(view, { clock: process.clock, travel });
}
