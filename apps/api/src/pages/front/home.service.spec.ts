import { finishedRunRecord } from '@test/support/run-record';
import { changeView, frontSentence } from './home.service';

const queue = (arch: string, waiting: number, running: number) => ({
  suite: 'sid',
  arch,
  waiting,
  running,
  oldestAt: null,
});

it.each([
  [[], 'No public run waits, and none is executed.'],
  [[queue('amd64', 3, 0)], 'On amd64: 3 runs are waiting.'],
  [[queue('amd64', 3, 1), queue('arm64', 1, 1)], 'On 2 architectures: 4 runs are waiting, 2 are running.'],
])('the first page says what happens in a sentence (%#)', (queues, sentence) => {
  expect(frontSentence(queues, [], new Date())).toBe(sentence);
});

it('the first page says first what is wrong', () => {
  const trouble = { what: 'arm64: no worker', since: new Date('2026-11-20T10:00:00Z') };
  const now = new Date('2026-11-20T10:14:00Z');
  expect(frontSentence([queue('arm64', 1, 0)], [trouble], now)).toBe(
    'arm64: no worker for 14 minutes. On arm64: 1 run is waiting.',
  );
});

it('a change of status is shown with what was before, the first run of a package without', () => {
  const lastPass = null;
  const failed = {
    ...finishedRunRecord({ package: 'libfoo', verdict: 'fail' }),
    previousStatus: 'neutral',
    lastPass,
  } as const;
  expect(changeView(failed, [], 'pass')).toMatchObject({
    runUrl: `/packages/libf/libfoo/${failed.suite}/${failed.arch}/7/`,
    before: 'pass',
    status: 'fail',
    strip: [],
  });
  expect(changeView({ ...failed, previousStatus: null }, [], 'pass').before).toBe('');
});
