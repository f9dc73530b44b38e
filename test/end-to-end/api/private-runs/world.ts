import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import {
  ExplainRequest,
  parseMessage,
  StatusRequest,
  subjectOf,
  SUBJECTS,
  type ResultFileName,
  type Testbed,
} from '@proctor/contracts';
import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import type { Client } from 'pg';
import { type RunningApi, startApi } from '@test/support/api';
import { connectTo } from '@test/support/database';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, startedReport } from '@test/support/runs';

const ARCH = 'amd64';
const MINUTE = 60_000;

/** Stands still while worlds are compared. */
export const NOW = Math.floor(Date.now() / 1000) * 1000;
const BEGINNING = new Date(NOW - 30 * MINUTE);

/** Private runs get ids from here on, so that those of public runs are the same without them. */
export const FIRST_HIDDEN_ID = 700_501;

/** The worker whose slots execute public runs, and the one whose slot executes what comes first. */
export type Slot = { worker: 'w1' | 'w2'; slot: number };
const SLOTS: Slot[] = [
  { worker: 'w1', slot: 0 },
  { worker: 'w1', slot: 1 },
  { worker: 'w2', slot: 0 },
];

/** Suites that each worker offers, and backends. */
const OFFERED: Record<Slot['worker'], string[]> = { w1: ['bookworm'], w2: ['bookworm', 'trixie'] };

/**
 * A deployment of its own whose dispatcher is the real one, on the rows of a real database; its clock moves
 * by steps.
 */
export class World {
  /** Runs that have a name in the test. */
  readonly ids: Record<string, number> = {};
  private nextHiddenId = FIRST_HIDDEN_ID;

  private constructor(
    readonly api: RunningApi,
    private readonly dispatcher: DispatcherRig,
    private readonly client: Client,
  ) {}

  static async make(): Promise<World> {
    const configuredAt = new Date(BEGINNING.getTime() - MINUTE);
    const api = await startApi({
      server: { historyLengthMax: 2, publicUrl: 'https://ci.example' },
      configuredAt,
    });
    const dispatcher = new DispatcherRig([], {
      caps: { perRequestorMax: 2, perPackageMax: 1, perSuiteMax: 2 },
      sizeClassOf: (name) => (name.endsWith('-kernel') ? 'big' : null),
      extraAptSources: new Map([['inner', { name: 'inner', lines: ['deb http://example.org/inner ./'] }]]),
    });
    const world = new World(api, dispatcher, await connectTo(api.databaseUrl));
    world.serve();
    await world.pass(0);
    return world;
  }

  async stop(): Promise<void> {
    await this.client.end();
    await this.api.stop();
  }

  /** Moves the dispatcher's clock forward; its workers stay connected. */
  async pass(ms: number): Promise<void> {
    this.dispatcher.now += ms;
    for (const slot of SLOTS) await this.ask(slot, { onlyHeld: true });
  }

  async submit(name: string, parameters: Record<string, unknown> = {}, key?: string): Promise<number> {
    const runId = await this.api.submit(name, parameters, key);
    await this.ingest();
    return runId;
  }

  /** What is requested meanwhile takes no id away from public runs. */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    const sequence = `pg_get_serial_sequence('runs', 'run_id')`;
    const { rows } = await this.client.query<{ next: number }>(`select nextval(${sequence}) as next`);
    const set = (next: number) => this.client.query(`select setval(${sequence}, $1, false)`, [next]);
    await set(this.nextHiddenId);
    this.nextHiddenId += 10;
    try {
      return await work();
    } finally {
      await set(rows[0]!.next);
    }
  }

  /** What was accepted and decided meanwhile. */
  async ingest(): Promise<void> {
    const { journal } = this.api.database;
    const { runs } = await journal.arrivals(ARCH, 100);
    await this.send({ kind: 'arrivals', runs });
    await this.send({ kind: 'orders', orders: await journal.orders(ARCH, 100) });
  }

  /** The slot asks and is granted this run. */
  async grant(runId: number, slot: Slot): Promise<void> {
    const { lease } = await this.ask(slot);
    if (lease?.runId !== runId) throw new Error(`granted was ${lease?.runId}, not ${runId}`);
  }

  async start(runId: number, slot: Slot, attempt = 1): Promise<void> {
    await this.send({ kind: 'started', report: startedReport(runId, attempt, slot) });
  }

  async handBack(runId: number, slot: Slot): Promise<void> {
    const { incarnation } = startedReport(runId, 1);
    const request = { ...slot, incarnation, runId, attempt: 1, reason: 'no image' };
    await this.send({ kind: 'return', request });
  }

  async finish(
    runId: number,
    {
      worker,
      slot,
      attempt = 1,
      ...result
    }: Slot & { attempt?: number } & Parameters<typeof finishedReport>[2],
    texts: Partial<Record<ResultFileName, string>> = {},
  ): Promise<void> {
    const files = [];
    for (const [name, text] of Object.entries(texts) as [ResultFileName, string][]) {
      const content = gzipSync(text);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const expected = { size: content.length, sha256 };
      await this.api.store.save(runId, attempt, name, Readable.from([content]), expected);
      files.push({ name, ...expected });
    }
    const report = finishedReport(runId, attempt, { worker, slot, files, ...result });
    await this.send({ kind: 'finished', report });
  }

  endDelay(runId: number): void {
    this.dispatcher.state.waiting.endDelay(this.dispatcher.state.runs.find(runId)!);
  }

  /** Times are those of the run's id, whenever it really was. */
  async settle(): Promise<void> {
    await this.client.query(SETTLE_RUNS, [BEGINNING]);
    await this.client.query(SETTLE_FACTS, [BEGINNING]);
    await this.client.query(SETTLE_ATTEMPTS, [BEGINNING]);
    await this.makeStatuses();
  }

  /** From the beginning: times were moved behind what the projection has seen. */
  private async makeStatuses(): Promise<void> {
    await this.client.query(
      'truncate package_statuses, status_progress, run_days, status_days, queue_hours, slot_hours, machine_hours',
    );
    while (await this.api.database.statusProjection.step(ARCH));
    while (await this.api.database.dayStatistics.step(ARCH));
  }

  private ask(slot: Slot, changes: object = {}): Promise<Replies['lease']> {
    const testbeds = OFFERED[slot.worker].map((suite): Testbed => ({
      suite,
      backend: 'unshare',
      state: 'ready',
    }));
    const { incarnation } = startedReport(1, 1);
    const ask = '00000000-0000-4000-8000-00000000000a';
    const request = { ...slot, incarnation, ask, testbeds, variants: ['autopkgtest'], ...changes };
    return this.send({ kind: 'lease', request });
  }

  private async send<K extends MessageKind>(message: MessageOf<K>): Promise<Replies[K]> {
    const { writes, reply } = this.dispatcher.send(message);
    await this.api.commit([...writes, ...this.dispatcher.state.usageWrites(this.dispatcher.now)]);
    return reply;
  }

  private serve(): void {
    const { bus } = this.api;
    bus.subscribe(subjectOf(SUBJECTS.explain, ARCH), ({ text, respond }) => {
      const { runId, ...viewer } = parseMessage(ExplainRequest, JSON.parse(text));
      respond?.(JSON.stringify(this.dispatcher.send({ kind: 'explain', runId, viewer }).reply));
    });
    bus.subscribe(subjectOf(SUBJECTS.status, ARCH), ({ text, respond }) => {
      const request = parseMessage(StatusRequest, JSON.parse(text));
      respond?.(JSON.stringify(this.dispatcher.send({ kind: 'status', request }).reply));
    });
  }
}

const SETTLE_RUNS = `
  with settled as (
    select run_id, $1::timestamptz + (run_id % 1000) * interval '1 second' as at from runs
  )
  update runs r set created_at = at, updated_at = at + interval '0.5 seconds',
    started_at = case when r.started_at is not null then at + interval '0.1 seconds' end,
    finished_at = case when r.finished_at is not null then at + interval '0.4 seconds' end
  from settled s where s.run_id = r.run_id`;

const SETTLE_FACTS = `
  with settled as (
    select fact_id, $1::timestamptz + (run_id % 1000) * interval '1 second'
      + rank() over (partition by run_id order by fact_id) * interval '1 millisecond' as at
    from facts
  )
  update facts f set at = s.at from settled s where s.fact_id = f.fact_id`;

const SETTLE_ATTEMPTS = `
  with settled as (
    select run_id, attempt, $1::timestamptz + (run_id % 1000) * interval '1 second' + attempt * interval '1 millisecond' as at
    from attempts
  )
  update attempts a set granted_at = at, started_at = case when a.started_at is not null then at end,
    ended_at = case when a.ended_at is not null then at end
  from settled s where s.run_id = a.run_id and s.attempt = a.attempt`;
