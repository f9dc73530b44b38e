import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FinishedReport, parseMessage, stagingName, type RecordedSignal } from '@proctor/contracts';
import { FENCE, GRANT, keepAndDeliver, LOG, outboxIn, packIn } from '@test/support/outbox-rig';
import { type VirtualClock } from '@test/simulation/world/virtual-clock';
import { DispatcherFeatures } from '../slot/dispatcher-features';
import { DiskOutbox } from './outbox';
import { freshResultFolder } from './result-folder';

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'outbox-'))));
afterEach(async () => rm(path, { recursive: true }));

const makeOutbox = (clock?: VirtualClock) => outboxIn(path, clock);
const pack = () => packIn(path);

/** Resolves once it was called so often. */
const called = ({ mock }: jest.SpyInstance, count: number) =>
  new Promise<void>((resolve) => {
    const look = () => (mock.calls.length >= count ? resolve() : setImmediate(look));
    look();
  });

it('the outbox keeps a result, uploads and reports it, and drops its copy when the dispatcher has it', async () => {
  const { outbox, arrived, answer, reports, staged } = await makeOutbox();
  const { report, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', report, files);
  await arrived(1);
  expect(reports).toEqual([report]);
  expect(await staged()).toBe(LOG);
  expect((await readdir(join(path, '7-2-5'))).sort()).toEqual(['log.gz', 'report.json']);
  answer('recorded');
  await delivery;
  expect(await readdir(path)).toEqual([]);
});

it('the outbox reports again, later each time, until there is an answer', async () => {
  const { outbox, arrived, answer, reports, clock } = await makeOutbox();
  const { report, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', report, files);
  await arrived(1);
  await clock.runUntil(4_999);
  expect(reports).toHaveLength(1);
  await clock.runUntil(5_000);
  await arrived(2);
  await clock.runUntil(14_999);
  expect(reports).toHaveLength(2);
  await clock.runUntil(15_000);
  await arrived(3);
  answer('stale');
  await delivery;
  expect(await readdir(path)).toEqual([]);
});

it.each<[RecordedSignal['answer'], string | undefined, string[]]>([
  ['recorded', undefined, []],
  ['recorded', 'no such column', ['run 7 attempt 2: the result is recorded, but: no such column']],
  ['stale', 'the run has finished', ['run 7 attempt 2: the result came too late: the run has finished']],
])('the log says what the answer %s with the reason %j means', async (word, reason, lines) => {
  const { outbox, arrived, answer, logLines } = await makeOutbox();
  const { report, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', report, files);
  await arrived(1);
  answer(word, reason);
  await delivery;
  expect(logLines).toEqual(lines);
  expect(outbox.dropped.current().stale).toBe(word === 'stale' ? 1 : 0);
  expect(await readdir(path)).toEqual([]);
});

it('the outbox sets aside the latest result that the dispatcher cannot read, and never delivers it again', async () => {
  const { outbox, arrived, answer, logLines } = await makeOutbox();
  for (let old = 1; old <= 10; old++) await mkdir(join(path, `${old}-1.refused`));
  const { report, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', report, files);
  await arrived(1);
  answer('refused', 'tests.0.name: no such name');
  await delivery;
  expect(await readdir(join(path, '7-2-5.refused'))).toEqual(
    expect.arrayContaining(['report.json', 'log.gz']),
  );
  expect(await readdir(path)).toHaveLength(10);
  expect(logLines).toEqual([
    'run 7 attempt 2: the scheduler cannot read the report: tests.0.name: no such name',
    `run 7 attempt 2: its result is kept in ${join(path, '7-2-5.refused')}`,
    expect.stringMatching(/^older results that were refused are removed: .*-1\.refused$/),
  ]);
  expect(outbox.dropped.current().refused).toBe(1);
  const second = await makeOutbox();
  await second.outbox.deliverLeftovers();
  expect(second.logLines).toEqual([]);
});

it('a result that cannot be kept is rejected, and nothing of it is left', async () => {
  const { outbox } = await makeOutbox();
  const { report, files } = await pack();
  const absentFile = { ...files[0]!, name: 'artifacts.tar.gz' as const, path: join(path, 'gone') };
  await expect(keepAndDeliver(outbox, 'amd64', report, [...files, absentFile])).rejects.toThrow('ENOENT');
  expect(await readdir(path)).toEqual([]);
});

it('a result that no reader would take is kept in a form that readers take', async () => {
  const { outbox, arrived, answer, reports, logLines } = await makeOutbox();
  const { report, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', { ...report, version: 'v'.repeat(300) }, files);
  await arrived(1);
  const [firstReport] = reports;
  expect(parseMessage(FinishedReport, firstReport)).toMatchObject({
    ...FENCE,
    verdict: 'tmpfail',
    message: expect.stringContaining('version'),
    files: report.files,
  });
  expect(logLines.join()).toContain('reported otherwise');
  answer('recorded');
  await delivery;
});

it.each(['rename', 'half-removed'])('a result is removed in one step: %s', async (how) => {
  const first = await makeOutbox();
  const { report, files } = await pack();
  const abandoned = keepAndDeliver(first.outbox, 'amd64', report, files);
  await first.arrived(1);
  first.outbox.stop();
  await abandoned;
  if (how === 'rename') await rename(join(path, '7-2-5'), join(path, '7-2-5.removed'));
  else await rm(join(path, '7-2-5', 'log.gz'));

  const second = await makeOutbox();
  const delivered = second.outbox.deliverLeftovers();
  if (how === 'half-removed') {
    await second.arrived(1);
    expect(second.reports).toEqual([{ ...report, files: [] }]);
    expect(second.logLines.join()).toContain('lost on this machine');
    second.answer('recorded');
  }
  await delivered;
  expect(await readdir(path)).toEqual([]);
});

it('the outbox delivers an unreadable result that an earlier version kept, and what is no result holds up nothing', async () => {
  const { report } = await pack();
  const folder = join(path, '7-2-5');
  await rename(freshResultFolder(path, GRANT), folder);
  const unreadable = { ...report, tests: [{ name: 'a b', status: 'PASS', detail: null }] };
  await writeFile(join(folder, 'report.json'), JSON.stringify({ arch: 'amd64', report: unreadable }));
  await mkdir(join(path, '9-1'));
  await writeFile(join(path, '9-1', 'report.json'), '{"arch":');
  const { outbox, arrived, reports, answer, logLines } = await makeOutbox();
  const delivered = outbox.deliverLeftovers();
  await arrived(1);
  expect(parseMessage(FinishedReport, reports[0])).toMatchObject({ runId: 7, verdict: 'pass' });
  expect(logLines.join()).toContain('9-1 holds no result');
  expect(outbox.waiting).toBe(1);
  expect([outbox.listWaiting('amd64'), outbox.listWaiting('i386')]).toEqual([[GRANT], []]);
  answer('recorded');
  await delivered;
  expect(await readdir(path)).toEqual(['9-1']);
});

it('a report that is kept nowhere is delivered, and the outbox says what could not be kept', async () => {
  const { bus, clock, arrived, reports } = await makeOutbox();
  const reasons: string[] = [];
  const say = (why: string) => void reasons.push(why);
  const log = { log: () => undefined, warn: () => undefined };
  await writeFile(join(path, 'a-file'), '');
  const outbox = new DiskOutbox({
    path: join(path, 'a-file'),
    bus,
    dispatchers: new DispatcherFeatures(),
    clock,
    log,
    random: () => 0.5,
    onSaveFailed: say,
  });
  const { report, files } = await pack();
  await expect(keepAndDeliver(outbox, 'amd64', report, files)).rejects.toThrow(/ENOTDIR|EEXIST/);
  expect(reasons).toEqual([expect.stringMatching(/ENOTDIR|EEXIST/)]);
  const delivered = outbox.reportUnsaved('amd64', { ...report, verdict: 'tmpfail', files: [] });
  await arrived(1);
  expect([outbox.waiting, reports]).toMatchObject([1, [{ ...FENCE, verdict: 'tmpfail', files: [] }]]);
  outbox.onRecorded({ ...GRANT, answer: 'recorded' });
  await delivered;
});

it('the outbox uploads again when it is asked to', async () => {
  const { bus, outbox, arrived, answer, staged } = await makeOutbox();
  const { report, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', report, files);
  await arrived(1);
  await bus.deleteStaged('w', stagingName(GRANT, 'log.gz'));
  answer('upload-again');
  await arrived(2);
  expect(await staged()).toBe(LOG);
  answer('recorded');
  await delivery;
});

it('an upload goes on with the file at which the connection broke', async () => {
  const { bus, clock, outbox, arrived, answer } = await makeOutbox();
  const { report, files } = await pack();
  const [log] = files;
  const artifacts = { ...log!, name: 'artifacts.tar.gz' as const, path: join(path, 'artifacts.tar.gz') };
  await writeFile(artifacts.path, LOG);
  const whole = bus.stage.bind(bus);
  const stage = jest.spyOn(bus, 'stage');
  const broken = new Promise<void>((resolve) => {
    stage.mockImplementationOnce(whole).mockImplementationOnce(() => {
      resolve();
      return Promise.reject(new Error('disconnected'));
    });
  });
  const both = [log!, artifacts].map(({ name, size, sha256 }) => ({ name, size, sha256 }));
  const delivery = keepAndDeliver(outbox, 'amd64', { ...report, files: both }, [log!, artifacts]);
  await broken;
  await clock.runUntil(1);
  outbox.retryNow();
  await arrived(1);
  expect(stage.mock.calls.map(([, name]) => name)).toEqual(
    ['log.gz', 'artifacts.tar.gz', 'artifacts.tar.gz'].map((name) => `7/2/5/${name}`),
  );
  answer('recorded');
  await delivery;
});

it('the outbox delivers what an earlier life left, and drops what that life had not finished', async () => {
  const first = await makeOutbox();
  const { report, files } = await pack();
  const abandoned = keepAndDeliver(first.outbox, 'amd64', report, files);
  await first.arrived(1);
  first.outbox.stop();
  await abandoned;
  await mkdir(freshResultFolder(path, { runId: 8, attempt: 1 }));
  await mkdir(join(path, 'odd'));

  const second = await makeOutbox();
  const delivered = second.outbox.deliverLeftovers();
  await second.arrived(1);
  expect(second.reports).toEqual([report]);
  second.answer('recorded');
  await delivered;
  expect(await readdir(path)).toEqual(['odd']);
  expect(second.logLines.join()).toContain('holds no result');
});

it('the outbox does not wait any longer when the connection is back', async () => {
  const { bus, outbox, arrived, answer, reports, clock } = await makeOutbox();
  const report = jest.spyOn(bus, 'report').mockRejectedValueOnce(new Error('disconnected'));
  const { report: finishedReport, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', finishedReport, files);
  await called(report, 1);
  await clock.runUntil(1);
  expect(reports).toHaveLength(0);
  outbox.retryNow();
  await arrived(1);
  expect([reports, clock.now()]).toEqual([[finishedReport], 1]);
  answer('recorded');
  await delivery;
});

it('the outbox does not wait long either when the connection was back too early', async () => {
  const { bus, outbox, arrived, answer, reports, clock } = await makeOutbox();
  const report = jest.spyOn(bus, 'report').mockRejectedValue(new Error('no stream yet'));
  const { report: finishedReport, files } = await pack();
  const delivery = keepAndDeliver(outbox, 'amd64', finishedReport, files);
  for (const [count, atMs] of [5_000, 15_000, 35_000, 55_000].entries()) {
    await called(report, count + 1);
    await clock.runUntil(atMs);
  }
  await called(report, 5);
  outbox.retryNow();
  await called(report, 6);
  report.mockRestore();
  await clock.runUntil(clock.now() + 5_000);
  await arrived(1);
  expect(reports).toEqual([finishedReport]);
  answer('recorded');
  await delivery;
});
