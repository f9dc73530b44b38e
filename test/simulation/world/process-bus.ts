import type { Readable } from 'node:stream';
import {
  NoAnswer,
  type BusMessage,
  type ReportConsumption,
  type ReportHandler,
  type ReportRefusal,
  type StagedContent,
} from '@proctor/bus';
import { MemoryBus, type MemoryBroker } from '@test/support/memory-bus';
import type { Fact, ReportOrigin } from '@proctor/contracts';
import type { SimulatedProcess } from './simulated-process';

/** After so long without a sign of the server the product makes its connection again, by its process's clock. */
const NOTICED_AFTER_MS = 12_500;
/** How long the product waits for an answer of JetStream. */
const JETSTREAM_TIMEOUT_MS = 5_000;

/** What lies between a process and the broker. */
class Way {
  isSwallowed = false;
  /** What was sent meanwhile. */
  held: (() => void)[] = [];
}

/** A process's connection: what arrives for a frozen process waits, as in a socket's buffer. */
export class ProcessBus extends MemoryBus {
  private cancelNotice = (): void => undefined;

  constructor(
    private readonly server: MemoryBroker,
    readonly process: SimulatedProcess,
    private readonly way = new Way(),
  ) {
    super(seenBy(server, process, way));
  }

  /** Nothing passes in either direction; the process finds out after a while, and is disconnected then. */
  swallow(): void {
    this.way.isSwallowed = true;
    this.cancelNotice();
    this.cancelNotice = this.process.clock.after(NOTICED_AFTER_MS, () => this.disconnect());
  }

  /** The connection works again, or a new one does. */
  release(whatWasSent: 'arrives' | 'is lost'): void {
    if (!this.way.isSwallowed) return;
    this.way.isSwallowed = false;
    this.cancelNotice();
    const heldMessages = this.way.held.splice(0);
    if (whatWasSent === 'arrives') for (const pass of heldMessages) pass();
    if (this.isConnected()) this.server.reports.resume();
    this.reconnect();
  }

  override request<T>(subject: string, body: object, timeoutMs: number): Promise<T> {
    return this.process.gate(super.request<T>(subject, body, timeoutMs));
  }

  override report(subject: string, body: object): Promise<void> {
    return this.ofJetStream(() => super.report(subject, body));
  }

  override prepareReports(arch: string, workers: readonly string[]): Promise<void> {
    return this.ofJetStream(() => super.prepareReports(arch, workers));
  }

  override listWaitingReports(arch: string): Promise<ReportOrigin[]> {
    return this.ofJetStream(() => super.listWaitingReports(arch));
  }

  override publishEvent(fact: Fact): Promise<void> {
    return this.ofJetStream(() => super.publishEvent(fact));
  }

  override stage(worker: string, name: string, content: Readable): Promise<StagedContent> {
    return this.ofJetStream(() => super.stage(worker, name, content));
  }

  override readStaged(worker: string, name: string): Promise<Readable | null> {
    return this.ofJetStream(() => super.readStaged(worker, name));
  }

  override deleteStaged(worker: string, name: string): Promise<void> {
    return this.ofJetStream(() => super.deleteStaged(worker, name));
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

  protected override carries(): boolean {
    return super.carries() && !this.way.isSwallowed;
  }

  /** What is sent to a swallowed connection is done later or never, and its caller gets no answer in time. */
  private ofJetStream<T>(call: () => Promise<T>): Promise<T> {
    const { process, way } = this;
    if (!way.isSwallowed || !this.isConnected()) return process.gate(call());
    way.held.push(() => void call().catch(() => undefined));
    return new Promise((_resolve, reject) => {
      process.clock.after(JETSTREAM_TIMEOUT_MS, () => reject(new NoAnswer('JetStream does not answer')));
    });
  }
}

/** The broker with the process's timers (time-outs, heartbeats), while what is on its way travels in the world's time. */
function seenBy(broker: MemoryBroker, process: SimulatedProcess, way: Way): MemoryBroker {
  const view = Object.create(broker) as MemoryBroker;
  const travel: MemoryBroker['travel'] = (message, arrive) => {
    if (!way.isSwallowed) return broker.travel(message, arrive);
    way.held.push(() => void broker.travel(message, arrive));
    return true;
  };
  return Object.assign(view, { clock: process.clock, travel });
}
