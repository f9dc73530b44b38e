import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import {
  SOURCE_NAMES_BYTES_MAX,
  SOURCE_NAMES_LINES_MAX,
  SOURCE_NAMES_TEXT_BYTES_MAX,
  stagedSourceNames,
} from '@proctor/contracts';
import { silenceLog } from '@test/support/silent-log';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { REQUESTS_MAX, SourceNamesIntake, WORKER_PAUSE_MS } from './source-names-intake';

const LIST = gzipSync('bar\nfoo\nlibfoo1 foo\n');

silenceLog();

describe('a list of the packages of a suite', () => {
  let bus: MemoryBus;
  let clock: VirtualClock;
  let intake: SourceNamesIntake;
  /** Suite and architecture → the saved list and its sender. */
  let lists: Record<string, { worker: string; ageMs: number; content: Buffer }>;
  let isKept: boolean;

  beforeEach(() => {
    bus = new MemoryBus(new MemoryBroker());
    clock = new VirtualClock();
    lists = {};
    isKept = true;
    const names: ConstructorParameters<typeof SourceNamesIntake>[0] = {
      confirm: ({ suite, arch, sha256 }) => {
        const previous = lists[`${suite}/${arch}`];
        return Promise.resolve(previous !== undefined && digestOf(previous.content) === sha256);
      },
      saveNames: ({ suite, arch, worker, ageMs }, content) => {
        if (isKept) lists[`${suite}/${arch}`] = { worker, ageMs, content };
        return Promise.resolve(isKept);
      },
    };
    const configuration = { server: { suites: ['bookworm', 'sid'] } } as ConstructorParameters<
      typeof SourceNamesIntake
    >[2];
    intake = new SourceNamesIntake(names, bus, configuration, clock);
  });

  const offer = (content: Buffer, suite = 'bookworm', worker = 'w1') =>
    intake.receive('amd64', { worker, suite, sha256: digestOf(content), ageMs: 5 });

  async function stage(content: Buffer, suite = 'bookworm', worker = 'w1'): Promise<void> {
    await bus.stage(worker, stagedSourceNames(suite, 'amd64'), Readable.from([content]));
  }

  it('is kept once it is staged, and is asked for until then', async () => {
    expect(await offer(LIST)).toEqual({ answer: 'upload' });
    await stage(LIST);
    expect(await offer(LIST)).toEqual({ answer: 'kept' });
    expect(lists).toEqual({ 'bookworm/amd64': { worker: 'w1', ageMs: 5, content: LIST } });
    expect(await bus.readStaged('w1', stagedSourceNames('bookworm', 'amd64'))).toBeNull();
    expect(await offer(LIST, 'bookworm', 'w2')).toEqual({ answer: 'kept' });
  });

  it('is asked for again when another one is staged', async () => {
    await stage(gzipSync('other\n'));
    expect(await offer(LIST)).toEqual({ answer: 'upload' });
    expect(lists).toEqual({});
  });

  it('is refused for a suite that is not tested, and where a newer one is known', async () => {
    expect(await offer(LIST, 'potato')).toEqual({
      answer: 'refused',
      reason: 'potato is no suite of this deployment',
    });
    isKept = false;
    await stage(LIST);
    expect(await offer(LIST)).toMatchObject({ answer: 'refused' });
  });

  it('is read later when its worker has just sent another one, while those of others are read', async () => {
    await stage(LIST);
    await stage(LIST, 'sid');
    await stage(LIST, 'sid', 'w2');
    expect(await offer(LIST)).toEqual({ answer: 'kept' });
    expect(await offer(LIST, 'sid')).toEqual({ answer: 'later' });
    expect(await offer(LIST, 'sid', 'w2')).toEqual({ answer: 'kept' });
    expect(lists['sid/amd64']?.worker).toBe('w2');
    delete lists['sid/amd64'];
    await clock.runUntil(WORKER_PAUSE_MS);
    expect(await offer(LIST, 'sid')).toEqual({ answer: 'kept' });
  });

  it('is looked at later when its worker asks too often', async () => {
    await stage(LIST);
    await offer(LIST);
    const answers = await Promise.all(Array.from({ length: REQUESTS_MAX }, () => offer(LIST)));
    expect(answers.filter(({ answer }) => answer === 'kept')).toHaveLength(REQUESTS_MAX - 1);
    expect(answers.at(-1)).toEqual({ answer: 'later' });
    expect(await offer(LIST, 'bookworm', 'w2')).toEqual({ answer: 'kept' });
    await clock.runUntil(10_000);
    expect(await offer(LIST)).toEqual({ answer: 'kept' });
  });

  it('is read when no other one is', async () => {
    await stage(LIST);
    await stage(LIST, 'sid', 'w2');
    const [first, second] = [offer(LIST), offer(LIST, 'sid', 'w2')];
    expect(await Promise.all([first, second])).toEqual([{ answer: 'kept' }, { answer: 'later' }]);
  });

  it.each([
    ['no gzip', Buffer.from('foo\n'), /cannot be decompressed/],
    ['cut off', LIST.subarray(0, LIST.length - 10), /cannot be decompressed/],
    ['empty', gzipSync(''), /names no source package/],
    ['without an end', gzipSync('bar\nfoo'), /last line has no end/],
    ['with another name', gzipSync('bar\nFoo\n'), /line 2 is none/],
    ['with a control character', gzipSync('bar\nfoo\x1b[2J\n'), /line 2 is none/],
    ['with three words', gzipSync('bar\nlibfoo1 foo bar\n'), /line 2 is none/],
    ['out of order', gzipSync('foo\nbar\n'), /line 2 is not in order/],
    ['with a name twice', gzipSync('bar\nbar\n'), /line 2 is not in order/],
    ['one long line', gzipSync('a'.repeat(SOURCE_NAMES_TEXT_BYTES_MAX)), /a line is too long/],
    ['too many lines', gzipSync(numbered(SOURCE_NAMES_LINES_MAX + 1)), /more than \d+ lines/],
    ['more text than it may have', gzipSync(numbered(190_000, 'a'.repeat(150))), /text has more than/],
    ['more than a list may have', Buffer.alloc(SOURCE_NAMES_BYTES_MAX + 1), /has more than \d+ bytes/],
  ])('that is %s is refused, and what was known stays', async (_what, content, reason) => {
    await stage(LIST);
    await offer(LIST);
    await clock.runUntil(60_000);
    await stage(content);
    expect(await offer(content)).toEqual({
      answer: 'refused',
      reason: expect.stringMatching(reason) as string,
    });
    expect(lists['bookworm/amd64']?.content).toEqual(LIST);
  });
});

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function numbered(count: number, prefix = 'a'): string {
  return Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(9, '0')}\n`).join('');
}
