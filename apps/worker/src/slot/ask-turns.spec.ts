import { WakeUp } from '@proctor/clock';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { AskTurns } from './ask-turns';

/** Slots that rest for so long after each ask; the asks so far, as slot and second. */
function resting(slots: number, pauseMs: number) {
  const clock = new VirtualClock();
  const turns = new AskTurns(clock);
  const asks: string[] = [];
  const wakeUps = Array.from({ length: slots }, () => new WakeUp(clock));
  wakeUps.forEach((wakeUp, slot) => {
    const rest = async (): Promise<void> => {
      const isTurn = await turns.rest(wakeUp, pauseMs);
      asks.push(`${slot} ${isTurn ? 'in turn' : 'woken'} at ${clock.now() / 1_000}`);
      wakeUp.reset();
      await rest();
    };
    void rest();
  });
  const until = async (seconds: number) => {
    await clock.runUntil(seconds * 1_000);
    return asks.splice(0);
  };
  return { turns, wakeUps, until };
}

it('idle slots of a worker ask in turn, one within a pause', async () => {
  const { until } = resting(3, 10_000);
  expect(await until(45)).toEqual([
    '0 in turn at 10',
    '1 in turn at 20',
    '2 in turn at 30',
    '0 in turn at 40',
  ]);
});

it('a slot that is woken asks at once, and its ask counts for all slots of the worker', async () => {
  const { wakeUps, until } = resting(3, 10_000);
  await until(6);
  wakeUps[1]!.wake();
  expect(await until(15)).toEqual(['1 woken at 6']);
  expect(await until(26)).toEqual(['0 in turn at 16', '2 in turn at 26']);
});

it('the next slot asks at once when there is work without a signal', async () => {
  const { turns, until } = resting(3, 10_000);
  await until(6);
  turns.wakeNext();
  expect(await until(7)).toEqual(['0 in turn at 6']);
});

it('a slot that leaves no other at rest leaves no turn behind', async () => {
  const clock = new VirtualClock();
  const [turns, wakeUp] = [new AskTurns(clock), new WakeUp(clock)];
  const hasten = jest.spyOn(turns, 'wakeNext');
  const rest = turns.rest(wakeUp, 10_000);
  wakeUp.wake();
  expect(await rest).toBe(false);
  await clock.runUntil(10_000);
  expect(hasten).not.toHaveBeenCalled();
});
