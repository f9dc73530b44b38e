import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { grantOf, type FinishedReport } from '@proctor/contracts';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { finishedReport } from '@test/support/runs';
import { DispatcherFeatures } from '../slot/dispatcher-features';
import { DiskOutbox } from './outbox';
import { keepAndDeliver } from '@test/support/outbox-rig';

const SILENT = { log: () => undefined, warn: () => undefined };
const [OLD, NEW] = [5, 9].map((grantEpoch) => finishedReport(7, 2, { grantEpoch })) as [
  FinishedReport,
  FinishedReport,
];

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'regrants-'))));
afterEach(async () => rm(path, { recursive: true }));

it('the results of an attempt that was granted twice are kept apart, and each has its own answer', async () => {
  const bus = new MemoryBus(new MemoryBroker());
  await bus.prepareReports('amd64', [OLD.worker]);
  const outbox = new DiskOutbox({
    path,
    bus,
    dispatchers: new DispatcherFeatures(),
    clock: new VirtualClock(),
    log: SILENT,
    random: () => 0.5,
  });
  const delivered = [OLD, NEW].map((report) => keepAndDeliver(outbox, 'amd64', report, []));
  const reported = new Set<number | undefined>();
  await new Promise<void>((resolve) => {
    void bus.consumeReports('amd64', ({ text }) => {
      reported.add((JSON.parse(text) as FinishedReport).grantEpoch);
      if (reported.size === 2) resolve();
      return Promise.resolve();
    });
  });
  expect(
    outbox
      .listWaiting('amd64')
      .map(({ grantEpoch }) => grantEpoch)
      .sort(),
  ).toEqual([5, 9]);
  expect((await readdir(path)).sort()).toEqual(['7-2-5', '7-2-9']);

  outbox.onRecorded({ ...grantOf(OLD), answer: 'stale' });
  await delivered[0];
  expect(await readdir(path)).toEqual(['7-2-9']);
  outbox.onRecorded({ ...grantOf(NEW), answer: 'recorded' });
  await delivered[1];
  expect(await readdir(path)).toEqual([]);
});
