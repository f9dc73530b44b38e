import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { stagingName, type FinishedReport, type RecordedSignal } from '@proctor/contracts';
import { DiskOutbox } from '@apps/worker/src/reports/outbox';
import { freshResultFolder } from '@apps/worker/src/reports/result-folder';
import { DispatcherFeatures } from '@apps/worker/src/slot/dispatcher-features';
import type { ReportOutbox } from '@apps/worker/src/slot/ports';
import { VirtualClock } from '../simulation/world/virtual-clock';

export const LOG = 'the log, as if it were gzipped';
export const GRANT = { runId: 7, attempt: 2, grantEpoch: 5 };
export const FENCE = {
  worker: 'w',
  incarnation: '0b9f6a2c-8a53-4c7e-9d7a-5a2f2f0f0a01',
  slot: 0,
  ...GRANT,
};

/** An outbox and the reports that reached the stream. */
export async function outboxIn(path: string, clock = new VirtualClock()) {
  const bus = new MemoryBus(new MemoryBroker());
  const reports: object[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  await bus.prepareReports('amd64', [FENCE.worker]);
  await bus.consumeReports('amd64', (report) => {
    reports.push(JSON.parse(report.text) as object);
    waiting.filter(({ count }) => reports.length >= count).forEach(({ resolve }) => resolve());
    return Promise.resolve();
  });
  const logLines: string[] = [];
  const log = {
    log: (line: string) => void logLines.push(line),
    warn: (line: string) => void logLines.push(line),
  };
  const outbox = new DiskOutbox({
    path,
    bus,
    dispatchers: new DispatcherFeatures(),
    clock,
    log,
    random: () => 0.5,
  });
  const arrived = async (count: number) => {
    if (reports.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
  };
  const answer = (answer: RecordedSignal['answer'], reason?: string) =>
    outbox.onRecorded({ ...GRANT, answer, ...(reason !== undefined && { reason }) });
  const staged = async () => {
    const content = await bus.readStaged('w', stagingName(GRANT, 'log.gz'));
    return content && text(content);
  };
  return { bus, clock, outbox, reports, arrived, answer, staged, logLines };
}

/** A result whose file lies where an attempt of that worker has packed it. */
export async function packIn(path: string) {
  const folder = freshResultFolder(path, GRANT);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'log.gz'), LOG);
  const sha256 = createHash('sha256').update(LOG).digest('hex');
  const file = { name: 'log.gz' as const, size: LOG.length, sha256 };
  const report: FinishedReport = {
    ...FENCE,
    verdict: 'pass',
    message: 'all tests passed',
    exitCode: 0,
    version: '1.0-1',
    durationSeconds: 3,
    files: [file],
  };
  return { report, files: [{ ...file, path: join(folder, 'log.gz') }] };
}

/** Resolves when the dispatcher has answered; rejects when the result cannot be kept. */
export async function keepAndDeliver(
  outbox: ReportOutbox,
  ...result: Parameters<ReportOutbox['save']>
): Promise<void> {
  const deliver = await outbox.save(...result);
  await deliver();
}
