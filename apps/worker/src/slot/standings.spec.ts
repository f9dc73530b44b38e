import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { Standings } from './standings';

const SLOWED = { standing: 'slowed', reason: '3 failures here in a row: run 5', untilMs: 20_000 } as const;

it('a change of the standing is logged once, with reason and time, and shown until it ends', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const standings = new Standings(clock, { log: say, warn: say });
  standings.onAnswer({ arch: 'amd64' });
  standings.onAnswer({ arch: 'amd64', standing: SLOWED });
  await clock.runUntil(5_000);
  standings.onAnswer({ arch: 'arm64' });
  expect(standings.current()).toEqual({
    amd64: { standing: 'slowed', reason: SLOWED.reason, untilSeconds: 15 },
  });
  standings.onAnswer({ arch: 'amd64', standing: { ...SLOWED, untilMs: 100 } });
  const reason = 'the canary test failed: no disk';
  standings.onAnswer({ arch: 'amd64', standing: { standing: 'quarantined', reason, untilMs: 60_000 } });
  standings.onAnswer({ arch: 'amd64' });
  standings.onAnswer({ arch: 'amd64' });
  expect(standings.current()).toEqual({});
  expect(lines).toEqual([
    'amd64: this worker is slowed by its dispatcher, its next run in 20 s: 3 failures here in a row: run 5',
    'amd64: this worker is quarantined by its dispatcher, a canary test in 60 s: the canary test failed: no disk',
    'amd64: this worker is sound again for its dispatcher',
  ]);
});
