import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GRANT, keepAndDeliver, outboxIn, packIn } from '@test/support/outbox-rig';
import { freshResultFolder } from './result-folder';

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'outbox-'))));
afterEach(async () => rm(path, { recursive: true }));

const makeOutbox = () => outboxIn(path);
const pack = () => packIn(path);

describe('a verdict that is kept before its files', () => {
  it('is named to the dispatcher, and replaced by the whole result in its place', async () => {
    const { outbox, arrived, answer, reports } = await makeOutbox();
    const { report, files } = await pack();
    const verdict = { ...report, files: [], message: 'its log is lost' };
    await rm(freshResultFolder(path, GRANT), { recursive: true });
    await outbox.save('amd64', verdict, []);
    expect(outbox.listWaiting('amd64')).toEqual([GRANT]);
    expect(await readdir(path)).toEqual(['7-2-5']);
    await pack();
    const delivery = keepAndDeliver(outbox, 'amd64', report, files);
    await arrived(1);
    expect(reports).toEqual([report]);
    expect(await readdir(path)).toEqual(['7-2-5']);
    expect((await readdir(join(path, '7-2-5'))).sort()).toEqual(['log.gz', 'report.json']);
    expect(outbox.waiting).toBe(1);
    answer('recorded');
    await delivery;
    expect(outbox.waiting).toBe(0);
  });

  it('is delivered by the next life when the worker is killed before the rest is there', async () => {
    const { report } = await pack();
    const verdict = { ...report, files: [], message: 'its log is lost' };
    const first = await makeOutbox();
    await first.outbox.save('amd64', verdict, []);
    await pack();
    const second = await makeOutbox();
    const delivered = second.outbox.deliverLeftovers();
    await second.arrived(1);
    expect(second.reports).toEqual([verdict]);
    expect(second.logLines[0]).toMatch(/7-2-5\.new was not finished, and is removed$/);
    second.answer('recorded');
    await delivered;
    expect(await readdir(path)).toEqual([]);
  });

  it('stays when the rest cannot be kept', async () => {
    const { outbox } = await makeOutbox();
    const { report, files } = await pack();
    const verdict = { ...report, files: [], message: 'its log is lost' };
    await rm(freshResultFolder(path, GRANT), { recursive: true });
    await outbox.save('amd64', verdict, []);
    await expect(outbox.save('amd64', report, files)).rejects.toThrow('ENOENT');
    expect(await readdir(join(path, '7-2-5'))).toEqual(['report.json']);
    const savedReport = JSON.parse(await readFile(join(path, '7-2-5', 'report.json'), 'utf8')) as object;
    expect(savedReport).toEqual({ arch: 'amd64', report: verdict });
  });

  it('is the one that counts when a second result of the same grant comes while it is delivered', async () => {
    const { outbox, arrived, answer, reports, logLines } = await makeOutbox();
    const { report, files } = await pack();
    const delivery = keepAndDeliver(outbox, 'amd64', report, files);
    await arrived(1);
    await keepAndDeliver(outbox, 'amd64', { ...report, verdict: 'fail', files: [] }, []);
    expect(logLines.at(-1)).toBe(
      'run 7 attempt 2: a second result is dropped, fail (all tests passed): the first one is on its way',
    );
    answer('recorded');
    await delivery;
    expect(reports).toEqual([report]);
    expect(outbox.dropped.current().second).toBe(1);
  });
});

it.each(['while it is delivered', 'before'])(
  'a result that is on no disk is said to be lost when the worker ends %s',
  async (when) => {
    const { outbox, arrived, logLines } = await makeOutbox();
    const { report } = await pack();
    if (when === 'before') outbox.stop();
    const delivery = outbox.reportUnsaved('amd64', { ...report, verdict: 'tmpfail', message: 'no disk' });
    if (when !== 'before') await arrived(1);
    outbox.stop();
    await delivery;
    expect(logLines.at(-1)).toBe(
      'run 7 attempt 2: its result is lost, tmpfail (no disk): the worker ends, and could not write it to its disk',
    );
    expect(outbox.dropped.current().unkept).toBe(1);
  },
);
