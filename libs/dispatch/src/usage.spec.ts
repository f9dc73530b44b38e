import { Usage } from './usage';

const HALF_LIFE = 1_000;

function usageOf(loaded: Record<string, number> = {}, weights: Record<string, number> = {}): Usage {
  const entries = Object.entries(loaded).map(([requestor, slotMs]) => ({
    requestor,
    slotMs,
    publicSlotMs: slotMs / 2,
  }));
  return new Usage(entries, 0, () => ({
    halfLifeMs: HALF_LIFE,
    weightOf: (requestor) => weights[requestor] ?? 1,
  }));
}
const share = (usage: Usage, requestor: string, now: number) =>
  usage.shareOf(usage.accountOf(requestor), now);

it('usage begins with what the books say, and halves with each half-life', () => {
  const usage = usageOf({ ada: 800 });
  expect([0, 1_000, 2_000, 3_000].map((now) => share(usage, 'ada', now))).toEqual([800, 400, 200, 100]);
  expect(share(usage, 'bob', 3_000)).toBe(0);
});

it('usage is divided by the weight', () => {
  expect(share(usageOf({ ada: 800 }, { ada: 4 }), 'ada', 0)).toBe(200);
});

it.each([
  ['is expected to take longer than it has until now', 10, 50],
  ['takes longer than expected', 70, 70],
])('usage counts a lease that is out as what it is, when it %s', (_, now, ms) => {
  const usage = usageOf();
  usage.accountOf('ada').start(50, 0);
  expect(share(usage, 'ada', now)).toBe(ms);
});

it('usage compares sums: one lease that takes long does not make up for others just begun', () => {
  const usage = usageOf();
  usage.accountOf('ada').start(50, -30);
  usage.accountOf('ada').start(50, 0);
  expect([share(usage, 'ada', 0), share(usage, 'ada', 40)]).toEqual([100, 110]);
});

it('usage charges what a lease has really taken when it ends', () => {
  const usage = usageOf();
  const [lease, other] = [
    { expectedMs: 500, grantedAtMs: 0, isPrivate: false },
    { expectedMs: 40, grantedAtMs: 10, isPrivate: true },
  ];
  usage.accountOf('ada').start(lease.expectedMs, lease.grantedAtMs);
  usage.accountOf('ada').start(other.expectedMs, other.grantedAtMs);
  usage.end('ada', lease, 30);
  expect(share(usage, 'ada', 30)).toBe(30 + 40);
  usage.end('ada', other, 30);
  expect(share(usage, 'ada', 30)).toBe(30 + 20);
  expect(share(usage, 'ada', 30 + HALF_LIFE)).toBe(25);
  expect(usage.accountOf('ada').running).toBe(0);
});

it('usage charges the time before the dispatcher began of leases that were out then', () => {
  const usage = usageOf();
  usage.accountOf('ada').start(0, -600);
  expect(share(usage, 'ada', 0)).toBe(600);
  usage.end('ada', { expectedMs: 0, grantedAtMs: -600, isPrivate: false }, 100);
  expect(share(usage, 'ada', 100)).toBe(700);
});

it('usage counts public runs on their own, for those who may not know of the others', () => {
  const usage = usageOf({ ada: 800 }, { ada: 2 });
  const [open, hidden] = [
    { expectedMs: 50, grantedAtMs: 0, isPrivate: false },
    { expectedMs: 500, grantedAtMs: 0, isPrivate: true },
  ];
  for (const { expectedMs, grantedAtMs } of [open, hidden])
    usage.accountOf('ada').start(expectedMs, grantedAtMs);
  const used = (leased: (typeof open)[], now: number) =>
    usage.publicShareOf(usage.accountOf('ada'), leased, now);
  expect([used([open], 0), used([open], HALF_LIFE)]).toEqual([(400 + 50) / 2, (200 + HALF_LIFE) / 2]);
  usage.end('ada', hidden, HALF_LIFE);
  expect(used([open], HALF_LIFE)).toBe((200 + HALF_LIFE) / 2);
  usage.end('ada', open, HALF_LIFE);
  expect(used([], HALF_LIFE)).toBe((200 + HALF_LIFE) / 2);
  expect(share(usage, 'ada', HALF_LIFE)).toBe((400 + 2 * HALF_LIFE) / 2);
});

it('usage has decayed by the old half-life until that changes', () => {
  const settings = { halfLifeMs: 1_000, weightOf: () => 1 };
  const usage = new Usage([{ requestor: 'ada', slotMs: 800, publicSlotMs: 0 }], 0, () => settings);
  usage.settle(1_000);
  settings.halfLifeMs = 10;
  expect([share(usage, 'ada', 1_000), share(usage, 'ada', 1_010)]).toEqual([400, 200]);
});

it('usage returns once what has changed, as it has decayed by then', () => {
  const usage = usageOf({ ada: 8_000, bob: 4_000 });
  expect(usage.collectChanges(0)).toEqual([]);
  usage.accountOf('ada').start(50, 0);
  usage.end('ada', { expectedMs: 50, grantedAtMs: 0, isPrivate: true }, 500);
  const slotMs = expect.closeTo(8_000 * Math.SQRT1_2 + 500, 6);
  const publicSlotMs = expect.closeTo(4_000 * Math.SQRT1_2, 6);
  expect(usage.collectChanges(500)).toEqual([{ requestor: 'ada', slotMs, publicSlotMs }]);
  expect(usage.collectChanges(500)).toEqual([]);
  usage.settle(500);
  expect(usage.collectChanges(500).map(({ requestor }) => requestor)).toEqual(['ada', 'bob']);
});

it('usage forgets requestors who have used next to nothing recently, but none who has a lease or waits', () => {
  const usage = usageOf({ ada: 1_500, bob: 1_500, carl: 1_500, dora: 8_000 });
  usage.accountOf('bob').start(50, 0);
  usage.accountOf('carl').queues = 1;
  usage.accountOf('eve');
  expect(usage.collectChanges(999)).toEqual([]);
  expect(usage.collectChanges(1_000)).toEqual([{ requestor: 'ada', slotMs: 0, publicSlotMs: 0 }]);
  usage.end('bob', { expectedMs: 50, grantedAtMs: 0, isPrivate: false }, 1_000);
  usage.accountOf('carl').queues = 0;
  expect(usage.collectChanges(2_000).map(({ requestor, slotMs }) => [requestor, slotMs])).toEqual([
    ['bob', 0],
    ['carl', 0],
  ]);
});
