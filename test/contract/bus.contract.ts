import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { NoAnswer, RemoteError, type Bus, type BusMessage } from '@proctor/bus';
import { SUBJECTS, subjectOf, type Fact, type Grant, type LogChunk } from '@proctor/contracts';
import { PATIENCE_MS } from '@test/support/until';
import { Events } from './bus/events';
import { newRunId, newScope, LIMITS, type BusServer, type StartServer } from './bus/server';

const WORKER = 'w1';
const CHUNK = (chunk: number): LogChunk => ({
  chunk,
  offset: chunk * 3,
  data: Buffer.from('abc').toString('base64'),
});

/** What every Bus keeps, whatever carries it. */
export function describeBus(name: string, start: StartServer): void {
  describe(`${name} as a Bus`, () => {
    let server: BusServer;
    let bus: Bus;
    let other: Bus;
    let scope: string;

    beforeAll(async () => {
      server = await start(LIMITS);
      [bus, other] = [await server.connect(), await server.connect()];
      await bus.prepareWorkers([WORKER]);
    });
    beforeEach(() => (scope = newScope()));
    afterAll(() => server.close());

    describe('requests and signals', () => {
      it('a bus carries a request to its listener and the answer back', async () => {
        const subject = subjectOf(SUBJECTS.status, scope);
        const stop = other.subscribe(subject, ({ text, respond }) => respond?.(`{"received":${text}}`));
        await other.flush();
        await expect(bus.request(subject, { a: 1 }, PATIENCE_MS)).resolves.toEqual({ received: { a: 1 } });
        stop();
      });

      it('a request without a listener ends with NoAnswer', async () => {
        await expect(bus.request(subjectOf(SUBJECTS.status, scope), {}, PATIENCE_MS)).rejects.toThrow(
          NoAnswer,
        );
      });

      it('a request ends with NoAnswer when the time is over', async () => {
        const subject = subjectOf(SUBJECTS.status, scope);
        const stop = other.subscribe(subject, () => undefined);
        await other.flush();
        await expect(bus.request(subject, {}, 50)).rejects.toThrow(NoAnswer);
        stop();
      });

      it('the message of a failure comes back to the asker', async () => {
        const subject = subjectOf(SUBJECTS.status, scope);
        const stop = other.subscribe(subject, ({ respond }) => respond?.('{"error":"no epoch"}'));
        await other.flush();
        await expect(bus.request(subject, {}, PATIENCE_MS)).rejects.toThrow(new RemoteError('no epoch'));
        stop();
      });

      it('a signal without a listener is lost, and the next one is carried', async () => {
        const subject = subjectOf(SUBJECTS.workWaiting, scope);
        bus.signal(subject, { number: 1 });
        await bus.flush();
        const received = new Events<BusMessage>();
        const stop = other.subscribe(subject, received.push);
        await other.flush();
        bus.signal(subject, { number: 2 });
        const message = await received.next();
        expect(message).toEqual({ subject, text: '{"number":2}' });
        stop();
      });

      it('a subscription that was ended is silent', async () => {
        const subject = subjectOf(SUBJECTS.status, scope);
        other.subscribe(subject, ({ respond }) => respond?.('{}'))();
        await other.flush();
        await expect(bus.request(subject, {}, PATIENCE_MS)).rejects.toThrow(NoAnswer);
      });
    });

    describe('live logs', () => {
      const newGrant = (): Grant => ({ runId: newRunId(), attempt: 1, grantEpoch: 5 });

      async function readChunks(count: number, grant: Grant, fromChunk: number): Promise<LogChunk[]> {
        const chunks: LogChunk[] = [];
        if (count === 0) return chunks;
        for await (const chunk of other.readLog(WORKER, grant, fromChunk)) {
          chunks.push(chunk);
          if (chunks.length === count) break;
        }
        return chunks;
      }

      it('a reader of a log gets what was appended and what comes, each chunk once', async () => {
        const grant = newGrant();
        await bus.appendLog(WORKER, grant, CHUNK(0));
        const reading = readChunks(3, grant, 0);
        await bus.appendLog(WORKER, grant, CHUNK(1));
        await bus.appendLog(WORKER, grant, CHUNK(1));
        await bus.appendLog(WORKER, grant, CHUNK(2));
        expect(await reading).toEqual([CHUNK(0), CHUNK(1), CHUNK(2)]);
      });

      it('a reader of a log resumes at a chunk', async () => {
        const grant = newGrant();
        for (const number of [0, 1, 2, 3]) await bus.appendLog(WORKER, grant, CHUNK(number));
        expect(await readChunks(2, grant, 2)).toEqual([CHUNK(2), CHUNK(3)]);
      });

      it.each<[string, (grant: Grant) => Grant]>([
        ['of another attempt', (grant) => ({ ...grant, attempt: 2 })],
        ['of the same attempt, granted again', (grant) => ({ ...grant, grantEpoch: 9 })],
        ['of an earlier version', ({ runId, attempt }) => ({ runId, attempt })],
      ])('a log is kept apart from one %s, and a purged one is forgotten', async (_, other) => {
        const grant = newGrant();
        const another = other(grant);
        await bus.appendLog(WORKER, grant, CHUNK(0));
        await bus.appendLog(WORKER, another, { ...CHUNK(0), data: 'YW5vdGhlcg==' });
        expect(await readChunks(1, grant, 0)).toEqual([CHUNK(0)]);
        expect(await readChunks(1, another, 0)).toEqual([{ ...CHUNK(0), data: 'YW5vdGhlcg==' }]);
        await bus.purgeLog(WORKER, another);
        await bus.purgeLog(WORKER, grant);
        await bus.appendLog(WORKER, grant, CHUNK(1));
        expect(await readChunks(1, grant, 0)).toEqual([CHUNK(1)]);
      });

      it('what there is of a log is read without waiting for more', async () => {
        const grant = newGrant();
        const soFar = async (): Promise<LogChunk[]> => {
          const chunks: LogChunk[] = [];
          for await (const chunk of other.readLogSoFar(WORKER, grant, AbortSignal.timeout(PATIENCE_MS)))
            chunks.push(chunk);
          return chunks;
        };
        expect(await soFar()).toEqual([]);
        await bus.appendLog(WORKER, grant, CHUNK(0));
        await bus.appendLog(WORKER, { ...grant, attempt: 2 }, CHUNK(0));
        await bus.appendLog(WORKER, grant, CHUNK(1));
        expect(await soFar()).toEqual([CHUNK(0), CHUNK(1)]);
      });

      it('the reading of a log ends when the signal aborts', async () => {
        const grant = newGrant();
        await bus.appendLog(WORKER, grant, CHUNK(0));
        const abort = new AbortController();
        const chunks: LogChunk[] = [];
        for await (const chunk of other.readLog(WORKER, grant, 0, abort.signal)) {
          chunks.push(chunk);
          setImmediate(() => abort.abort());
        }
        expect(chunks).toEqual([CHUNK(0)]);
      });
    });

    describe('events', () => {
      const fact = (factId: number, changes: Partial<Fact> = {}): Fact => ({
        ...{ factId, runId: 1, arch: scope, suite: 'sid', kind: 'granted', state: 'leased', attempt: 1 },
        ...{ actor: 'scheduler', reason: null, verdict: null, at: '2026-01-01T00:00:00.000Z', ...changes },
      });

      async function readFacts(count: number): Promise<Fact[]> {
        const facts: Fact[] = [];
        for await (const each of other.readEvents(scope)) {
          facts.push(each);
          if (facts.length === count) break;
        }
        return facts;
      }

      it('events of an architecture are read as they were published and as they come, repeated ones once', async () => {
        const [first, second, third] = [newRunId(), newRunId(), newRunId()];
        await bus.publishEvent(fact(first));
        await bus.publishEvent(fact(newRunId(), { arch: newScope() }));
        const reading = readFacts(3);
        await bus.publishEvent(fact(second, { kind: 'started' }));
        await bus.publishEvent(fact(first));
        await bus.publishEvent(fact(third));
        expect(await reading).toEqual([fact(first), fact(second, { kind: 'started' }), fact(third)]);
      });

      it('the reading of events ends when the signal aborts', async () => {
        await bus.publishEvent(fact(newRunId()));
        const abort = new AbortController();
        let count = 0;
        for await (const _each of other.readEvents(scope, abort.signal)) {
          count++;
          setImmediate(() => abort.abort());
        }
        expect(count).toBe(1);
      });
    });

    describe('uploads', () => {
      const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

      it.each([0, 1, 3 * 1024 * 1024 + 17])(
        'the staging bucket carries %i bytes, with size and checksum',
        async (size) => {
          const bytes = randomBytes(size);
          const name = `${newRunId()}/1/log.gz`;
          expect(await bus.stage(WORKER, name, Readable.from([bytes]))).toEqual({
            size,
            sha256: sha256(bytes),
          });
          const content = await other.readStaged(WORKER, name);
          expect(content).not.toBeNull();
          expect((await buffer(content!)).equals(bytes)).toBe(true);
          await other.deleteStaged(WORKER, name);
          expect(await other.readStaged(WORKER, name)).toBeNull();
        },
      );

      it('the staging bucket replaces content of the same name', async () => {
        const name = `${newRunId()}/1/log.gz`;
        await bus.stage(WORKER, name, Readable.from([Buffer.from('old')]));
        await bus.stage(WORKER, name, Readable.from([Buffer.from('new')]));
        expect((await buffer((await other.readStaged(WORKER, name))!)).toString()).toBe('new');
        await bus.deleteStaged(WORKER, name);
      });

      it('the staging bucket takes no stream that broke before it was read', async () => {
        const name = `${newRunId()}/1/log.gz`;
        const broken = Readable.from([Buffer.from('abc')]);
        broken.on('error', () => undefined);
        broken.destroy(new Error('gone early'));
        await expect(bus.stage(WORKER, name, broken)).rejects.toThrow();
        expect(await other.readStaged(WORKER, name)).toBeNull();
      });

      it('the staging bucket has nothing of an upload that broke off, and drops what is not there', async () => {
        const name = `${newRunId()}/1/log.gz`;
        const broken = Readable.from(
          (function* () {
            yield Buffer.alloc(200_000);
            throw new Error('the disk is gone');
          })(),
        );
        await expect(bus.stage(WORKER, name, broken)).rejects.toThrow('the disk is gone');
        expect(await other.readStaged(WORKER, name)).toBeNull();
        await other.deleteStaged(WORKER, name);
      });
    });
  });
}
