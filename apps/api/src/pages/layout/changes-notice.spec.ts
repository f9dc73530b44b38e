import { changesNotice } from './changes-notice';
import { readNotice } from './session-notice';

const REFUSED = { runId: 3, reason: 'Run 9, a retry of run 3, has not finished.' };

it.each([
  [[7], [], '1 run requested again: run 7.'],
  [
    [7, 8],
    [REFUSED],
    '2 runs requested again: run 7, run 8. Run 3 was skipped. Run 9, a retry of run 3, has not finished.',
  ],
  [
    [],
    [{ runId: 4, reason: 'It has finished.' }],
    'Nothing was changed. Run 4 was skipped. It has finished.',
  ],
])('a notice names the runs that were made, %j, and those that were skipped', (doneIds, refusals, text) => {
  expect(changesNotice('requested again', { doneIds, refusals })).toBe(text);
});

it('a notice names ten runs of each kind, and counts the rest', () => {
  const doneIds = Array.from({ length: 12 }, (_, place) => place + 1);
  const refusals = doneIds.map((runId) => ({ runId: 100 + runId, reason: 'It has finished.' }));
  const text = changesNotice('cancelled', { doneIds, refusals });
  expect(text).toMatch(/^12 runs cancelled: run 1, .*, run 10 and 2 more\. Run 101 was skipped\./);
  expect(text).toMatch(/Run 110 was skipped\. It has finished\. 2 runs more skipped\.$/);
});

it('a page shows a notice once, with links to the runs that it names; the rest is text', () => {
  const session = { notice: 'Run 3 was skipped: <b>run 9</b> waits. Prerun 4, run 5x.' };
  const request = { session, method: 'GET' } as unknown as Parameters<typeof readNotice>[0];
  expect(readNotice(request)!.text).toBe(
    '<a href="/runs/3">Run 3</a> was skipped: &lt;b&gt;<a href="/runs/9">run 9</a>&lt;/b&gt; waits. Prerun 4, run 5x.',
  );
  expect(readNotice(request)).toBeNull();
});
