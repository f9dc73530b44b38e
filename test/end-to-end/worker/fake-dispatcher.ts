import { connectBus, type Bus } from '@proctor/bus';
import type { RunningProctor } from '@test/support/proctor';
import {
  grantOf,
  reportOrigin,
  requestSubject,
  SUBJECTS,
  subjectOf,
  type CanaryTest,
  type FinishedReport,
  type Lease,
  type LeaseReply,
  type LeaseRequest,
  type RecordedSignal,
  type RenewReply,
  type RenewRequest,
  type RequestKind,
  type ReturnReply,
  type ReturnRequest,
} from '@proctor/contracts';

/** What reached the dispatcher, in order. */
export type WorkerMessage =
  | { kind: 'ask'; body: LeaseRequest }
  | { kind: 'renew'; body: RenewRequest }
  | { kind: 'return'; body: ReturnRequest }
  | { kind: 'report'; name: string; body: FinishedReport };

/** Speaks the dispatcher's part of the wire for one architecture; what it grants is up to the test. */
export class FakeDispatcher {
  readonly messages: WorkerMessage[] = [];
  /** Granted to the next ask that reports no problem. */
  next: Lease | null = null;
  /** Wanted of the next ask, likewise. */
  nextCanary: CanaryTest | null = null;
  instruction: RenewReply['instruction'] = 'continue';
  /** The word on finished reports; null: none. */
  answer: RecordedSignal['answer'] | null = 'recorded';
  private readonly waiting: {
    fits: (message: WorkerMessage) => boolean;
    resolve: (message: WorkerMessage) => void;
  }[] = [];

  private constructor(
    readonly bus: Bus,
    /** Reads live logs: the scheduler may not. */
    readonly api: Bus,
    private readonly arch: string,
  ) {}

  static async connect({ users }: RunningProctor, arch: string): Promise<FakeDispatcher> {
    const bus = await connectBus(await users.read('scheduler'), { makesStreams: true });
    const workers = users.workers.map(({ name }) => name);
    await bus.prepareReports(arch, workers);
    await bus.prepareWorkers(workers);
    const dispatcher = new FakeDispatcher(bus, await connectBus(await users.read('api')), arch);
    await dispatcher.listen();
    return dispatcher;
  }

  async close(): Promise<void> {
    await Promise.all([this.bus.close(), this.api.close()]);
  }

  /** The first that fits, whether it has come already or comes later. */
  async until<K extends WorkerMessage['kind']>(
    kind: K,
    fits: (message: Extract<WorkerMessage, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<WorkerMessage, { kind: K }>> {
    type Wanted = Extract<WorkerMessage, { kind: K }>;
    const isWanted = (message: WorkerMessage): message is Wanted =>
      message.kind === kind && fits(message as Wanted);
    const match = this.messages.find(isWanted);
    if (match) return match;
    return new Promise<WorkerMessage>((resolve) =>
      this.waiting.push({ fits: isWanted, resolve }),
    ) as Promise<Wanted>;
  }

  grant(lease: Lease): void {
    this.next = lease;
    this.bus.signal(subjectOf(SUBJECTS.workWaiting, this.arch), {});
  }

  wantCanary(test: CanaryTest): void {
    this.nextCanary = test;
    this.bus.signal(subjectOf(SUBJECTS.workWaiting, this.arch), {});
  }

  private async listen(): Promise<void> {
    const answers: [RequestKind, (body: never) => object][] = [
      ['lease', (body: LeaseRequest) => this.onAsk(body)],
      ['renew', (body: RenewRequest) => this.onRenew(body)],
      ['return', (body: ReturnRequest) => this.onReturn(body)],
    ];
    for (const [kind, answer] of answers) {
      this.bus.subscribe(requestSubject(this.arch, '*', kind), ({ text, respond }) => {
        respond?.(JSON.stringify(answer(JSON.parse(text) as never)));
      });
    }
    await this.bus.flush();
    await this.bus.consumeReports(this.arch, ({ subject, text }) => {
      const body = JSON.parse(text) as FinishedReport;
      const name = reportOrigin(subject)?.kind ?? '';
      this.receive({ kind: 'report', name, body });
      if (name === 'finished' && this.answer) {
        const signal: RecordedSignal = { ...grantOf(body), answer: this.answer };
        this.bus.signal(subjectOf(SUBJECTS.recorded, body.worker), signal);
      }
      return Promise.resolve();
    });
  }

  private onAsk(body: LeaseRequest): LeaseReply {
    const lease = body.problem === undefined ? this.next : null;
    if (lease) this.next = null;
    const canary = body.problem === undefined && !lease ? this.nextCanary : null;
    if (canary) this.nextCanary = null;
    this.receive({ kind: 'ask', body });
    const reply = { arch: this.arch, epoch: 1, ask: body.ask, lease, wanted: [], askAgainMs: 60_000 };
    return { ...reply, ...(canary && { canary }) };
  }

  private onRenew(body: RenewRequest): RenewReply {
    this.receive({ kind: 'renew', body });
    return { arch: this.arch, epoch: 1, ...grantOf(body), instruction: this.instruction };
  }

  private onReturn(body: ReturnRequest): ReturnReply {
    this.receive({ kind: 'return', body });
    return { arch: this.arch, epoch: 1, ...grantOf(body), returned: true };
  }

  private receive(message: WorkerMessage): void {
    this.messages.push(message);
    for (const waiter of this.waiting.filter(({ fits }) => fits(message))) waiter.resolve(message);
  }
}
