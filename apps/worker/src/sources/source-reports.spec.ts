import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { SOURCE_NAMES_BYTES_MAX, stagedSourceNames, type SourceNamesRequest } from '@proctor/contracts';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import type { ImageSourceNames } from '../testbed/backend';
import { SourceReports } from './source-reports';

const HOUR_MS = 3_600_000;

describe('which packages suites have', () => {
  let place: string;
  let clock: VirtualClock;
  let scheduler: MemoryBus;
  let broker: MemoryBroker;
  let lists: ImageSourceNames[];
  let requests: SourceNamesRequest[];
  let answers: string[];
  let warnings: string[];
  let isAllowed: boolean;
  let hasFeature: boolean;
  let reports: SourceReports;

  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'source-reports-'));
    clock = new VirtualClock();
    broker = new MemoryBroker();
    scheduler = new MemoryBus(broker);
    [lists, requests, answers, warnings] = [[], [], [], []];
    [isAllowed, hasFeature] = [true, true];
    reports = new SourceReports({
      worker: 'w1',
      isAllowed: () => isAllowed,
      lists: () => lists,
      bus: new MemoryBus(broker),
      dispatchers: { has: () => hasFeature },
      clock,
      log: { log: () => undefined, warn: (line: string) => void warnings.push(line) },
    });
  });
  afterEach(() => rm(place, { recursive: true }));

  function listen(): void {
    scheduler.subscribe('proctor.rpc.amd64.w1.sources', ({ text, respond }) => {
      requests.push(JSON.parse(text) as SourceNamesRequest);
      respond!(answers.shift() ?? '{"answer":"kept"}');
    });
  }

  async function image(content: string | Buffer, changes: Partial<ImageSourceNames> = {}): Promise<void> {
    const path = join(place, `list-${lists.length}`);
    await writeFile(path, content);
    lists.push({ suite: 'bookworm', arch: 'amd64', builtAt: 1, ageMs: 5.4, path, ...changes });
  }

  it('are reported once, staged when they are asked for, and reported again after some hours', async () => {
    listen();
    await image('the list');
    answers = ['{"answer":"upload"}'];
    await reports.reportDue();
    const sha256 = createHash('sha256').update('the list').digest('hex');
    const request = { worker: 'w1', suite: 'bookworm', sha256, ageMs: 5 };
    expect(requests).toEqual([request, request]);
    const staged = await scheduler.readStaged('w1', stagedSourceNames('bookworm', 'amd64'));
    expect(await buffer(staged!)).toEqual(Buffer.from('the list'));
    await reports.reportDue();
    expect(requests).toHaveLength(2);
    await clock.runUntil(6 * HOUR_MS);
    await reports.reportDue();
    expect(requests).toHaveLength(3);
  });

  it('are reported again of a newer image, and of the newest where several backends have one', async () => {
    listen();
    await image('old');
    await reports.reportDue();
    await image('new', { builtAt: 3 });
    await image('between', { builtAt: 2 });
    await reports.reportDue();
    expect(requests.map(({ sha256 }) => sha256)).toEqual(
      ['old', 'new'].map((text) => createHash('sha256').update(text).digest('hex')),
    );
  });

  it.each([
    ['when the machine may not say it', () => (isAllowed = false)],
    ['to dispatchers that do not know them', () => (hasFeature = false)],
    ['of an archive that could not be checked for a day', () => (lists[0]!.ageMs = 25 * HOUR_MS)],
    ['where the list could not be read', () => (lists[0]!.path = join(place, 'nowhere'))],
    ['where the list is too long', () => writeFile(lists[0]!.path, Buffer.alloc(SOURCE_NAMES_BYTES_MAX + 1))],
  ])('are not reported %s', async (_when, change) => {
    listen();
    await image('the list');
    await change();
    await reports.reportDue();
    expect([requests, warnings]).toEqual([[], []]);
  });

  it('are reported at the next check when no process receives it or has time', async () => {
    await image('the list');
    await reports.reportDue();
    listen();
    answers = ['{"answer":"later"}'];
    await reports.reportDue();
    await reports.reportDue();
    expect(requests).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  it('are not reported for hours when they are refused, and for minutes when that failed', async () => {
    listen();
    await image('the list');
    answers = ['{"answer":"refused","reason":"a newer list is known"}', '{"error":"it broke"}'];
    await reports.reportDue();
    await clock.runUntil(6 * HOUR_MS);
    await reports.reportDue();
    await clock.runUntil(6 * HOUR_MS + 500_000);
    await reports.reportDue();
    expect(requests).toHaveLength(2);
    await clock.runUntil(7 * HOUR_MS);
    await reports.reportDue();
    expect(requests).toHaveLength(3);
    expect(warnings).toEqual([
      'the packages of bookworm on amd64 are refused: a newer list is known',
      expect.stringMatching(/^the packages of bookworm on amd64 could not be sent: .*it broke/),
    ]);
  });
});
