import {
  MemoryBus,
  type BusMessage,
  type MemoryBroker,
  type ReportConsumption,
  type ReportHandler,
  type ReportRefusal,
} from '@proctor/bus';
import type { ReportOrigin } from '@proctor/contracts';
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

  override reportsWaiting(arch: string): Promise<ReportOrigin[]> {
    return this.process.gate(super.reportsWaiting(arch));
  }

  override subscribe(subject: string, handler: (message: BusMessage) => void): () => void {
    return super.subscribe(subject, (message) => this.process.run(() => handler(message)));
  }

  override consumeReports(
    scope: string,
    handler: ReportHandler,
    refusal?: ReportRefusal,
  ): Promise<ReportConsumption> {
    const { process } = this;
    return super.consumeReports(
      scope,
      (report) => process.gate(Promise.resolve()).then(() => handler(report)),
      refusal && ((report, reason) => process.gate(Promise.resolve()).then(() => refusal(report, reason))),
    );
  }
}

/** The broker with the process's timers (time-outs, heartbeats), while what is on its way travels in the world's time. */
function seenBy(broker: MemoryBroker, process: SimulatedProcess): MemoryBroker {
  const view = Object.create(broker) as MemoryBroker;
  const travel: MemoryBroker['travel'] = (message, arrive) => broker.travel(message, arrive);
  return Object.assign(view, { clock: process.clock, travel });
}
