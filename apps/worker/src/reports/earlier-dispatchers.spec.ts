import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { grantOf, stagingName, type FinishedReport, type ResultFileName } from '@proctor/contracts';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { finishedReport } from '@test/support/runs';
import { DispatcherFeatures } from '../slot/dispatcher-features';
import { DiskOutbox } from './outbox';
import { keepAndDeliver } from '@test/support/outbox-rig';
import { freshResultFolder } from './result-folder';

const SILENT = { log: () => undefined, warn: () => undefined };

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'earlier-'))));
afterEach(async () => rm(path, { recursive: true }));

it('a dispatcher of an earlier version gets no index and no later verdict, and a later one gets all', async () => {
  const bus = new MemoryBus(new MemoryBroker());
  const grant = { runId: 7, attempt: 2, grantEpoch: 5 };
  const folder = freshResultFolder(path, grant);
  await mkdir(folder, { recursive: true });
  const contents: [ResultFileName, string][] = [
    ['log.gz', 'the log'],
    ['log-index.json', '{}'],
  ];
  const files = contents.map(([name, content]) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { name, size: content.length, sha256 };
  });
  for (const [name, content] of contents) await writeFile(join(folder, name), content);
  const report = finishedReport(7, 2, { grantEpoch: 5, files, verdict: 'absent' });
  await bus.prepareReports('amd64', [report.worker]);
  const dispatchers = new DispatcherFeatures();
  const outbox = new DiskOutbox({
    path,
    bus,
    dispatchers,
    clock: new VirtualClock(),
    log: SILENT,
    random: () => 0.5,
  });
  const reported: string[][] = [];
  dispatchers.onAnswer({ arch: 'amd64' });
  const localFiles = files.map((file) => ({ ...file, path: join(folder, file.name) }));
  const delivery = keepAndDeliver(outbox, 'amd64', report, localFiles);
  await new Promise<void>((resolve) => {
    void bus.consumeReports('amd64', async ({ text }) => {
      const { verdict, files } = JSON.parse(text) as FinishedReport;
      reported.push([verdict, ...files.map(({ name }) => name)]);
      if (reported.length === 2) return resolve();
      expect(await bus.readStaged(report.worker, stagingName(report, 'log-index.json'))).toBeNull();
      dispatchers.onAnswer({ arch: 'amd64', features: ['result-indexes', 'absent-verdict'] });
      outbox.retryNow();
    });
  });
  expect(reported).toEqual([
    ['fail', 'log.gz'],
    ['absent', 'log.gz', 'log-index.json'],
  ]);
  outbox.onRecorded({ ...grantOf(report), answer: 'recorded' });
  await delivery;
});
