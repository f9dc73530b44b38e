import fc from 'fast-check';
import { TROUBLES, VERDICTS, type LeaseReply, type WorkerStanding } from '@proctor/contracts';
import { ARCH, finishedReport, leaseRequest, loaded, settings, waitingRun } from '@test/support/runs';
import { DispatcherState } from './dispatcher-state';
import type { LoadedRows, Write } from './journal';
import type { WorkerJudgement } from './journal-records';
import type { MessageKind, MessageOf, Step } from './messages';
import { step } from './step';
import { stateOfLoaded } from './unwritten';

const WORKERS = ['w1', 'w2', 'w3'];
const RETRY = { attemptsMax: 5, delayMs: 1_000, delayMaxMs: 60_000 };
const BLAME = {
  failuresMax: 2,
  occasionsMax: 3,
  slowedMs: 50_000,
  slowedMaxMs: 200_000,
  canaryMs: 60_000,
  quarantineMs: 100_000,
  quarantineMaxMs: 500_000,
  canaryTimeoutMs: 200_000,
};
const SETTINGS = settings({ retry: RETRY, blame: BLAME });

type Row = Omit<WorkerJudgement, 'agoMs'> & { atMs: number; slowedAtMs: number };

/** The owners of one architecture, one after the other, and the rows of what they thought of workers. */
class Owners {
  now = 0;
  epoch = 1;
  state: DispatcherState;
  rows = new Map<string, Row>();
  readonly canaries = new Map<string, LeaseReply['canary']>();
  grantedAtMs = new Map<string, number>();

  constructor(runs = 40) {
    const all = Array.from({ length: runs }, (_, index) =>
      waitingRun(index + 1, { package: `package${index % 10}` }),
    );
    this.state = new DispatcherState({ arch: ARCH, epoch: 1 }, SETTINGS, loaded(all), 0);
    this.send({ kind: 'reports-waiting', attempts: [] });
  }

  send<K extends MessageKind>(message: MessageOf<K>): Step<K> {
    const answer = step<K>(this.state, message, this.now);
    for (const write of answer.writes) this.write(write);
    return answer;
  }

  ask(worker: string, slot: number, passes: boolean): void {
    const expectedCanary = this.canaries.get(`${worker} ${slot}`);
    const canary = expectedCanary && { canary: expectedCanary.canary, passed: passes, message: 'whatever' };
    const request = leaseRequest({ worker, slot, ...(canary && { canary }) });
    const { reply } = this.send({ kind: 'lease', request });
    this.canaries.set(`${worker} ${slot}`, reply.canary);
  }

  report(worker: string, verdict: (typeof VERDICTS)[number], trouble?: (typeof TROUBLES)[number]): void {
    const run = [...this.state.runs.values()].find(({ lease }) => lease?.worker === worker);
    if (!run) return;
    const end = { worker, verdict, message: 'whatever', ...(trouble && { trouble }) };
    this.send({ kind: 'finished', report: finishedReport(run.runId, run.attempt, end) });
  }

  pass(ms: number): void {
    this.now += ms;
    this.send({ kind: 'tick', workersReachable: true });
  }

  /** Another owner, who knows the rows only. */
  failOver(): void {
    const { loaded } = this;
    this.epoch += 1;
    this.state = new DispatcherState({ arch: ARCH, epoch: this.epoch }, SETTINGS, loaded, this.now);
    this.send({ kind: 'reports-waiting', attempts: [] });
    this.compare();
  }

  /** The turn's commit fails, whether or not it was written: the same owner loads again and handles its message again. */
  fail(turn: () => void, isWritten: boolean): void {
    const before = isWritten
      ? null
      : { loaded: this.loaded, rows: new Map(this.rows), grantedAtMs: new Map(this.grantedAtMs) };
    turn();
    const past = { state: this.state, sinceMs: this.now };
    if (before) Object.assign(this, { rows: before.rows, grantedAtMs: before.grantedAtMs });
    const loaded = before?.loaded ?? this.loaded;
    this.state = stateOfLoaded(this.state, SETTINGS, loaded, this.now, past);
    this.compare();
    turn();
    this.compare();
  }

  /** What the rows say. */
  private get loaded(): LoadedRows {
    const judgements = [...this.rows.values()].map(({ atMs, slowedAtMs: _slowedAtMs, ...row }) => ({
      ...row,
      agoMs: this.now - atMs,
    }));
    return loaded(structuredClone([...this.state.runs.values()]), { judgements });
  }

  /** Memory and rows. */
  compare(): void {
    const remembered = WORKERS.map((name) => this.state.judgements.standingOf(name));
    expect(remembered).toEqual(WORKERS.map((name) => this.standing(name)));
  }

  standing(worker: string): WorkerStanding {
    return this.rows.get(worker)?.standing ?? 'sound';
  }

  private write(write: Write): void {
    if (write.kind === 'judge-worker') {
      const { worker, standing, reason } = write;
      const before = this.rows.get(worker);
      const slowedAtMs = before?.standing === standing ? before.slowedAtMs : this.now;
      this.rows.set(worker, { worker, standing, reason, atMs: this.now, slowedAtMs });
    }
    if (write.kind === 'grant') {
      expect(this.standing(write.worker)).not.toBe('quarantined');
      const row = this.rows.get(write.worker);
      const since = Math.max(this.grantedAtMs.get(write.worker) ?? -Infinity, row?.slowedAtMs ?? -Infinity);
      if (row?.standing === 'slowed') expect(this.now - since).toBeGreaterThanOrEqual(BLAME.slowedMs);
      this.grantedAtMs.set(write.worker, this.now);
    }
  }
}

const worker = fc.constantFrom(...WORKERS);
const turn = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('ask'), worker, fc.nat(2), fc.boolean()) },
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constant('report'),
      worker,
      fc.constantFrom(...VERDICTS, 'tmpfail' as const, 'tmpfail' as const),
      fc.constantFrom(undefined, ...TROUBLES),
    ),
  },
  { weight: 4, arbitrary: fc.tuple(fc.constant('pass'), fc.constantFrom(10, 5_000, 61_000, 120_000)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('fail over')) },
);
const event = fc.oneof(
  { weight: 9, arbitrary: turn },
  { weight: 1, arbitrary: fc.tuple(fc.constant('fail'), turn, fc.boolean()) },
);

function play(owners: Owners, [kind, ...args]: unknown[]): void {
  if (kind === 'ask') owners.ask(...(args as Parameters<Owners['ask']>));
  if (kind === 'report') owners.report(...(args as Parameters<Owners['report']>));
  if (kind === 'pass') owners.pass(...(args as [number]));
  if (kind === 'fail over') owners.failOver();
  if (kind === 'fail') owners.fail(() => play(owners, args[0] as unknown[]), args[1] as boolean);
}

it('a quarantined worker is granted nothing and a slowed one seldom, under any owner of the architecture', () => {
  const timesOf = { slowed: 0, quarantined: 0, sound: 0 };
  fc.assert(
    fc.property(fc.array(event, { maxLength: 150, size: 'max' }), (events) => {
      const owners = new Owners();
      for (const each of events) play(owners, each);
      owners.compare();
      for (const { standing } of owners.rows.values()) timesOf[standing] += 1;
    }),
    { numRuns: 300 },
  );
  // The events lead to each of them.
  for (const times of Object.values(timesOf)) expect(times).toBeGreaterThan(0);
});

it('a worker is never judged by an archive, nor by runs that fail everywhere', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 40 }), (blamesArchive) => {
      const owners = new Owners(0);
      const runs = blamesArchive.map((isArchive, index) =>
        waitingRun(index + 1, { package: `package${index}`, failedOn: isArchive ? [] : ['gone'] }),
      );
      owners.send({ kind: 'arrivals', runs });
      for (let count = 0; count < runs.length; count += 1) {
        owners.ask('w1', 0, true);
        const run = [...owners.state.runs.values()].find(({ lease }) => lease !== null);
        owners.report('w1', 'tmpfail', run?.failedOn.length === 0 ? 'archive' : 'testbed');
      }
      expect(owners.rows.size).toBe(0);
    }),
  );
});

it('every worker that is asked and passes its canary tests is sound again in the end', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100, size: 'max' }), (events) => {
      const owners = new Owners();
      for (const each of events) play(owners, each);
      // Leases that are out expire first, and are held against their workers.
      owners.pass(BLAME.quarantineMaxMs);
      owners.pass(BLAME.quarantineMaxMs);
      for (const name of WORKERS) {
        // A slowed worker may get its one run first.
        for (let times = 0; times < 3; times += 1) {
          owners.ask(name, 0, true);
          owners.report(name, 'pass');
        }
        expect(owners.standing(name)).toBe('sound');
      }
    }),
  );
});
