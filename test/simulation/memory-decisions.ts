import { type Decision, timestamp } from '@proctor/contracts';
import type { Drain, Order, Pause, Restrictions } from '@proctor/dispatch';

/** What is paused; null stands for every one. */
export interface Scope {
  arch: string | null;
  suite: string | null;
}

type OrderRow = Order & { arch: string; takenIn: boolean };

type OrderGiven = Order extends infer Each ? (Each extends Order ? Omit<Each, 'orderId'> : never) : never;

/** Orders, pauses and drains in memory. */
export class MemoryDecisions {
  private orderRows: OrderRow[] = [];
  private pauses: (Pause & Scope)[] = [];
  private drains: Drain[] = [];

  constructor(
    private readonly nowMs: () => number,
    private readonly architectures: () => string[],
  ) {}

  /** @returns what brings the rows of now back */
  copy(): () => void {
    const { orderRows, pauses, drains } = this;
    const rows = structuredClone({ orderRows, pauses, drains });
    return () => Object.assign(this, rows);
  }

  order(arch: string, order: OrderGiven): void {
    this.orderRows.push({ ...order, orderId: this.orderRows.length + 1, arch, takenIn: false });
  }

  find(arch: string, orderId: number): OrderRow | undefined {
    return this.orderRows.find((row) => row.orderId === orderId && row.arch === arch);
  }

  waiting(arch?: string): Order[] {
    return this.orderRows
      .filter((row) => !row.takenIn && (arch === undefined || row.arch === arch))
      .map(({ arch: _arch, takenIn: _takenIn, ...order }) => order);
  }

  pause(scope: Scope, by: string, reason: string): void {
    this.pauses = [
      ...this.pauses.filter((each) => !isSame(each, scope)),
      { ...scope, ...this.by(by, reason) },
    ];
    this.stand(scope.arch);
  }

  resume(scope: Scope): boolean {
    const others = this.pauses.filter((each) => !isSame(each, scope));
    if (others.length === this.pauses.length) return false;
    this.pauses = others;
    this.stand(scope.arch);
    return true;
  }

  drain(worker: string, by: string, reason: string): void {
    this.drains = [
      ...this.drains.filter((each) => each.worker !== worker),
      { worker, ...this.by(by, reason) },
    ];
    this.stand(null);
  }

  undrain(worker: string): boolean {
    const others = this.drains.filter((each) => each.worker !== worker);
    if (others.length === this.drains.length) return false;
    this.drains = others;
    this.stand(null);
    return true;
  }

  trust(architectures: string[], worker: string, by: string, reason: string | null): void {
    for (const arch of architectures) this.order(arch, { kind: 'trust', worker, by, reason });
  }

  restrictions(of: string): Restrictions {
    const pauses = this.pauses.filter(({ arch }) => arch === null || arch === of);
    return structuredClone({ pauses: pauses.map(({ arch: _arch, ...pause }) => pause), drains: this.drains });
  }

  private by(by: string, reason: string): Decision {
    return { by, reason, since: timestamp(new Date(this.nowMs())) };
  }

  private stand(arch: string | null): void {
    for (const each of arch === null ? this.architectures() : [arch])
      this.order(each, { kind: 'restrictions' });
  }
}

function isSame(one: Scope, other: Scope): boolean {
  return one.arch === other.arch && one.suite === other.suite;
}
