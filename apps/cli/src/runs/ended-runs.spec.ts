import type { ResultResource } from '@proctor/resources';
import { VERDICTS } from '@proctor/contracts';
import { Service } from '../service/service';
import { explainRun } from './explain';
import { printRun } from './show-run';
import { awaitRuns } from './wait';

const BLAMES = /\bfail(?:s|ed|ing|ures?)?\b|report a bug/i;

/** A run as the service answers with it. */
function run(verdict: string): ResultResource {
  const status = verdict === 'absent' ? 'fail' : verdict === 'neutral' ? 'pass' : verdict;
  const run: Partial<ResultResource> = {
    run_id: 7,
    package: 'hello',
    suite: 'sid',
    arch: 'amd64',
    version: 'n/a',
    state: 'finished',
    status: status as ResultResource['status'],
    verdict: verdict as ResultResource['verdict'],
    message: 'a message',
    attempt: 1,
    pin_packages: [],
    extra_apt_sources: [],
    created_at: '2026-11-20T10:00:00Z',
    date: '2026-11-20T10:01:00Z',
    duration_seconds: 30,
    page_url: '/runs/7',
    log_url: null,
    artifacts_url: null,
  };
  return run as ResultResource;
}

/** All that the three commands write of it. */
async function junitText(verdict: string): Promise<string> {
  const service = {
    address: { url: 'http://x' },
    at: (path: string) => `http://x${path}`,
    request: (path: string) =>
      Promise.resolve(
        path.endsWith('/triage')
          ? { conclusion: 'A sentence of the service.', step: { kind: 'nothing' }, evidence: [] }
          : run(verdict),
      ),
  } as unknown as Service;
  let text = '';
  const keep = (part: unknown): boolean => {
    text += String(part);
    return true;
  };
  const spies = [
    jest.spyOn(Service, 'find').mockResolvedValue(service),
    jest.spyOn(process.stdout, 'write').mockImplementation(keep),
    jest.spyOn(process.stderr, 'write').mockImplementation(keep),
  ];
  try {
    await explainRun(7, {});
    await printRun(7, {});
    await awaitRuns(service, [7], {}).catch((error: Error) => (text += error.message));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return text;
}

describe('how commands write the end of a run', () => {
  it.each(VERDICTS.filter((verdict) => verdict !== 'fail'))(
    '%s is not written as a failure',
    async (verdict) => {
      const text = await junitText(verdict);
      expect(text).toContain('a message');
      expect(text.split('\n').filter((line) => BLAMES.test(line))).toEqual([]);
    },
  );

  it('a failure is written as one by each', async () => {
    const text = await junitText('fail');
    expect(text).toMatch(/ended as fail/);
    expect(text).toMatch(/status\s+fail/);
    expect(text).toMatch(/1 failed/);
  });
});
