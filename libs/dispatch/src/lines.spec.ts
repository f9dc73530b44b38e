import { waitingRun } from '@test/support/runs';
import { Lines } from './lines';
import { UsageAccount } from './usage';

it('an account counts a line once while only the rows have its end, wherever its edge is, and no longer once memory has all of it', () => {
  const account = new UsageAccount('ada', { slotMs: 0, publicSlotMs: 0 }, 0);
  const lines = new Lines(
    () => ({ runsMax: 10, refillBelow: 1, blockRuns: 2 }),
    () => account,
  );
  const [edge, later] = [waitingRun(1), waitingRun(5)];
  lines.endsAt(edge);
  expect(account.queues).toBe(1);
  lines.extend(edge, later);
  expect(account.queues).toBe(1);
  lines.extend(later, null);
  expect(account.queues).toBe(0);
});
