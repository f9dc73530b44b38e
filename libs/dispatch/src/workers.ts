import type {
  LeaseRequest,
  MachineState,
  RenewRequest,
  SlotIdentity,
  Testbed,
  TestbedState,
} from '@proctor/contracts';

/** A worker as its requests for leases describe it. */
export interface KnownWorker {
  worker: string;
  incarnation: string;
  slots: Set<number>;
  /** How many of the slots execute public runs of other architectures. */
  busyElsewhere: Set<number>;
  testbeds: Testbed[];
  variants: string[];
  builds: string[];
  sizeClasses: string[];
  privateRunsOnly: boolean;
  /** Why it accepts no work: its own problem, or that it is too old. */
  problem: string | undefined;
  version: string | undefined;
  protocol: number;
  /** Undefined if it reports none. */
  machine: MachineState | undefined;
  /** Monotonic milliseconds of the dispatcher's clock. */
  lastMessageMs: number;
}

export type SignOfLife = SlotIdentity & Pick<RenewRequest, 'machine'>;

/**
 * The workers that have requested work since the dispatcher was loaded: to explain, to show, and to know who else
 * could do a worker's work. A slot is granted runs only by its own request.
 */
export class Workers {
  private readonly byName = new Map<string, KnownWorker>();

  constructor(private readonly workersMax: number) {}

  /** @param outdated why the worker is too old; undefined if it is not */
  recordRequest(request: LeaseRequest, now: number, outdated?: string): void {
    const previous = this.byName.get(request.worker);
    const slots = previous?.incarnation === request.incarnation ? previous.slots : new Set<number>();
    const busyElsewhere = new Set(request.busyElsewhere);
    for (const slot of [request.slot, ...busyElsewhere]) slots.add(slot);
    const {
      worker,
      incarnation,
      testbeds,
      variants,
      builds = [],
      sizeClasses = [],
      privateRunsOnly = false,
      version,
      machine,
    } = request;
    const problem = outdated ?? request.problem;
    const offer = { testbeds, variants, builds, sizeClasses, privateRunsOnly, problem };
    const release = { version, protocol: request.protocol ?? 1 };
    this.set({
      worker,
      incarnation,
      slots,
      busyElsewhere,
      ...offer,
      ...release,
      machine,
      lastMessageMs: now,
    });
  }

  /** Records a message that says nothing about the worker's abilities; a renewal has the state of its machine. */
  recordSignOfLife(slot: SignOfLife, now: number): void {
    const knownWorker = this.byName.get(slot.worker);
    if (knownWorker?.incarnation !== slot.incarnation) return;
    knownWorker.slots.add(slot.slot);
    knownWorker.machine = slot.machine ?? knownWorker.machine;
    knownWorker.lastMessageMs = now;
    this.set(knownWorker);
  }

  remove(worker: string): void {
    this.byName.delete(worker);
  }

  names(): string[] {
    return [...this.byName.keys()];
  }

  get anyKnown(): boolean {
    return this.byName.size > 0;
  }

  find(worker: string): KnownWorker | undefined {
    return this.byName.get(worker);
  }

  /** The workers that have sent a message since `sinceMs`, sorted by name. */
  listAliveSince(sinceMs: number): KnownWorker[] {
    return [...this.byName.values()]
      .filter((knownWorker) => knownWorker.lastMessageMs >= sinceMs)
      .sort((a, b) => (a.worker < b.worker ? -1 : 1));
  }

  /** A Map keeps the order of insertion, so the first entry is the one silent the longest. */
  private set(knownWorker: KnownWorker): void {
    this.byName.delete(knownWorker.worker);
    this.byName.set(knownWorker.worker, knownWorker);
    const [silent] = this.byName.keys();
    if (this.byName.size > this.workersMax && silent !== undefined) this.byName.delete(silent);
  }
}

/** The state of a worker's testbed for a suite on a backend; undefined if it offers none. */
export function testbedState(
  offer: Pick<LeaseRequest, 'testbeds' | 'builds'>,
  suite: string,
  backend: string,
): TestbedState | undefined {
  const listed = offer.testbeds.find((testbed) => testbed.suite === suite && testbed.backend === backend);
  return listed?.state ?? (offer.builds?.includes(backend) ? 'absent' : undefined);
}
