import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { withTimeLimit, Repeater, TimedOut, WakeUp, waitAtMost } from '.';

const MS = 1_000;
let clock: VirtualClock;

beforeEach(() => {
  clock = new VirtualClock();
});

describe('waits', () => {
  it('a wait lasts as long as it should, or until a wake-up', async () => {
    const wakeUp = new WakeUp(clock);
    const whole = wakeUp.wait(MS);
    await clock.runUntil(clock.now() + MS);
    await whole;
    const cut = wakeUp.wait(MS);
    wakeUp.wake();
    await cut;
    expect(clock.now()).toBe(MS);
  });

  it('a wait ends at once when the wake-up came before it, unless that is forgotten', async () => {
    const wakeUp = new WakeUp(clock);
    wakeUp.wake();
    await wakeUp.wait(MS);
    wakeUp.wake();
    let isOver = false;
    const afresh = wakeUp.waitFromNow(MS).then(() => (isOver = true));
    await clock.runUntil(MS - 1);
    expect(isOver).toBe(false);
    await clock.runUntil(MS);
    await afresh;
  });
});

describe('time limits', () => {
  const never = new Promise<never>(() => undefined);

  it('work with a time limit comes to its value when it is done in time', async () => {
    await expect(withTimeLimit(Promise.resolve(7), 'counting', MS, clock)).resolves.toBe(7);
    await expect(waitAtMost(Promise.resolve(7), MS, clock)).resolves.toBe(7);
  });

  it('work is given up after its time limit', async () => {
    const waits = [withTimeLimit(never, 'counting', MS, clock), waitAtMost(never, MS, clock)] as const;
    const outcomes = Promise.allSettled(waits);
    await clock.runUntil(clock.now() + MS);
    const [late, none] = await outcomes;
    expect(late).toEqual({ status: 'rejected', reason: new TimedOut('counting', MS) });
    expect(none).toEqual({ status: 'fulfilled', value: null });
  });

  it('work with a time limit fails with its own error, or comes to nothing', async () => {
    const failure = () => Promise.reject(new Error('no'));
    await expect(withTimeLimit(failure(), 'counting', MS, clock)).rejects.toThrow('no');
    await expect(waitAtMost(failure(), MS, clock)).resolves.toBeNull();
  });
});

describe('repeated actions', () => {
  /** A repeater whose actions end when `end` is called. */
  const rig = (onFailure?: (error: unknown) => void) => {
    const ends: { resolve: () => void; reject: (error: unknown) => void }[] = [];
    const action = () => new Promise<void>((resolve, reject) => void ends.push({ resolve, reject }));
    const repeater = new Repeater(clock, () => MS, action, onFailure);
    repeater.start();
    return { repeater, ends };
  };
  const pass = (ms: number) => clock.runUntil(clock.now() + ms);

  it('a repeated action begins after a pause, and again a pause after its end', async () => {
    const { ends } = rig();
    await pass(MS - 1);
    expect(ends).toHaveLength(0);
    await pass(1);
    await pass(10 * MS);
    expect(ends).toHaveLength(1);
    ends[0]!.resolve();
    await pass(MS);
    expect(ends).toHaveLength(2);
  });

  it('a repeated action does not start again once it is stopped, also while it runs', async () => {
    const { repeater, ends } = rig();
    repeater.stop();
    await pass(10 * MS);
    expect([ends.length, repeater.isActive]).toEqual([0, false]);
    const other = rig();
    await pass(MS);
    other.repeater.stop();
    other.ends[0]!.resolve();
    await pass(10 * MS);
    expect(other.ends).toHaveLength(1);
  });

  it('a repeated action is over when it has failed', async () => {
    const onFailure = jest.fn();
    const { repeater, ends } = rig(onFailure);
    await pass(MS);
    ends[0]!.reject(new Error('no'));
    await pass(10 * MS);
    expect(onFailure.mock.calls).toEqual([[new Error('no')]]);
    expect([ends.length, repeater.isActive]).toEqual([1, false]);
  });
});
