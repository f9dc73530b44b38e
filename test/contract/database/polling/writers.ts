import { setTimeout as delay } from 'node:timers/promises';
import { type OpenDatabase, openDatabase } from '@proctor/database';
import type { Client } from 'pg';
import { ARCH, finish, grant, request } from '@test/contract/journal.fixture';
import { Random } from '@test/simulation/world/random';
import { connectTo } from '@test/support/database';
import type { Fixture } from '../fixture';
import { drowsy } from './drowse';

/** Whatever moves `updated_at`; each has connections of its own. */
export const WRITERS = ['submit', 'dispatch', 'retry', 'publish', 'cancel'] as const;

type Writer = (typeof WRITERS)[number];

/** Each writer goes on until all have written so often. */
const WRITES = 3;
const PAUSE_MAX_MS = 120;
/** Runs that are there before, so that each writer has something to change from the first moment on. */
const RUNS_BEFORE = 24;
/** Somewhere between 1970 and 2100. */
const WRONG_TIME_MAX_MS = 4_000_000_000_000;

/** Several processes that write at the same time. */
export interface Writers {
  /** Resolves when all have written. */
  writeAll(): Promise<void>;
}

export async function writersOf(
  fixture: Fixture,
  sleeps: Partial<Record<string, number>>,
  seed: number,
): Promise<Writers> {
  const requests = Array.from({ length: RUNS_BEFORE }, (_, place) => request({ isPrivate: place % 2 === 0 }));
  const runIds = await fixture.database.submissions.submit(requests, fixture.submitter);
  await fixture.commit(
    ARCH,
    runIds.slice(0, RUNS_BEFORE / 3).flatMap((runId) => [grant(runId, 1), finish(runId, 1)]),
  );
  const processes = await Promise.all(
    WRITERS.map((name, place) =>
      WriterProcess.open(name, fixture, sleeps[name] ?? 0, new Random(seed + place)),
    ),
  );
  return {
    async writeAll() {
      try {
        const areDone = () => processes.every((process) => process.written >= WRITES);
        await Promise.all(processes.map((process) => process.write(areDone)));
      } finally {
        await Promise.all(processes.map((process) => process.close()));
      }
    },
  };
}

class WriterProcess {
  written = 0;

  private constructor(
    private readonly name: Writer,
    readonly fixture: Fixture,
    readonly database: OpenDatabase,
    private readonly client: Client,
    readonly random: Random,
  ) {}

  static async open(name: Writer, fixture: Fixture, sleep: number, random: Random): Promise<WriterProcess> {
    const database = await openDatabase(drowsy(fixture.url, sleep), { connectionsMax: 3 });
    return new WriterProcess(name, fixture, database, await connectTo(fixture.url), random);
  }

  async write(areDone: () => boolean): Promise<void> {
    for (; !areDone(); this.written += 1) {
      jest.setSystemTime(this.random.between(0, WRONG_TIME_MAX_MS));
      await ACTIONS[this.name](this);
      await delay(this.random.between(0, PAUSE_MAX_MS));
    }
  }

  /** Some run that is as the condition says; undefined when there is none. */
  async some(condition: string): Promise<number | undefined> {
    const { rows } = await this.client.query<{ runId: number }>(
      `select run_id as "runId" from runs where ${condition} order by run_id`,
    );
    return rows.length > 0 ? this.random.pick(rows).runId : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([this.client.end(), this.database.close()]);
  }
}

async function submit({ database, fixture, random }: WriterProcess): Promise<void> {
  const requests = Array.from({ length: 3 }, () => request({ isPrivate: random.chance(0.5) }));
  await database.submissions.submit(requests, fixture.submitter);
}

const ACTIONS: Record<Writer, (writer: WriterProcess) => Promise<unknown>> = {
  submit,

  async dispatch(writer) {
    const runId = await writer.some(`state = 'queued' and attempt = 0`);
    const ownership = await writer.database.ownershipRegister.claim(ARCH, 'scheduler-1', 60_000);
    if (runId === undefined || !ownership) return;
    // Left out when the run was cancelled.
    await writer.database.journal.commit(ARCH, ownership.epoch, [grant(runId, 1)]);
    await writer.database.journal.commit(ARCH, ownership.epoch, [finish(runId, 1)]);
  },

  async retry(writer) {
    const runId = await writer.some(`state = 'finished'`);
    if (runId !== undefined) await writer.database.retries.retry(runId, writer.fixture.submitter);
  },

  async publish(writer) {
    const runId = await writer.some('is_private');
    if (runId !== undefined)
      await writer.database.publications.publish([runId], writer.fixture.submitter.keyId);
  },

  async cancel(writer) {
    const runId = await writer.some(`state <> 'finished' and run_id % 3 = 0`);
    if (runId === undefined) return;
    await writer.database.cancellations.cancel(runId, {
      userId: writer.fixture.submitter.userId,
      userName: 'ada',
    });
  },
};
