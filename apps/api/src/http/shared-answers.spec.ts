import { ManualClock } from '@test/support/manual-clock';
import { SharedAnswers } from './shared-answers';

interface Answer {
  text: string;
}

/** A making that ends when the test says so. */
class Making {
  readonly begun: {
    finish: (text: string, tookMs?: number) => Promise<void>;
    fail: (why: string) => void;
  }[] = [];

  constructor(private readonly clock: ManualClock) {}

  readonly make = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      this.begun.push({
        finish: async (text, tookMs = 1) => {
          this.clock.advance(tookMs);
          resolve({ text });
          await settled();
        },
        fail: (why) => reject(new Error(why)),
      });
    });
}

const settled = () => new Promise(setImmediate);

describe('SharedAnswers', () => {
  let clock: ManualClock;
  let making: Making;
  let answers: SharedAnswers<Answer>;

  beforeEach(() => {
    clock = new ManualClock();
    making = new Making(clock);
    answers = new SharedAnswers(clock, { sizeMax: 3, ageMaxMs: () => 10_000 });
  });

  it('an answer is made once for all who ask meanwhile, and once more for those who ask after it began', async () => {
    const first = answers.find('a', making.make);
    const later = Array.from({ length: 60 }, () => answers.find('a', making.make));
    expect(making.begun).toHaveLength(1);
    await making.begun[0]!.finish('one');
    expect(making.begun).toHaveLength(2);
    await making.begun[1]!.finish('two');
    expect(await first).toEqual({ text: 'one' });
    expect(new Set((await Promise.all(later)).map(({ text }) => text))).toEqual(new Set(['two']));
    expect(making.begun).toHaveLength(2);
  });

  it('a cheap answer is a new one for each who asks', async () => {
    for (const text of ['one', 'two']) {
      const answer = answers.find('a', making.make);
      await making.begun.at(-1)!.finish(text);
      expect(await answer).toEqual({ text });
    }
  });

  it('a costly answer takes a tenth of the time, and is never older than allowed', async () => {
    const first = answers.find('a', making.make);
    await making.begun[0]!.finish('one', 1_000);
    await first;
    clock.advance(8_900);
    expect(await answers.find('a', making.make)).toEqual({ text: 'one' });
    clock.advance(100);
    void answers.find('a', making.make);
    expect(making.begun).toHaveLength(2);
    await making.begun[1]!.finish('two', 5_000);
    clock.advance(5_000);
    void answers.find('a', making.make);
    expect(making.begun).toHaveLength(3);
  });

  it('all who wait get the error of an answer that failed, and the next call tries again', async () => {
    const waiting = answers.find('a', making.make);
    const next = answers.find('a', making.make);
    making.begun[0]!.fail('away');
    await expect(waiting).rejects.toThrow('away');
    await settled();
    await making.begun[1]!.finish('two');
    expect(await next).toEqual({ text: 'two' });
  });

  it('an answer is known to the making of the next', async () => {
    const first = answers.find('a', making.make);
    await making.begun[0]!.finish('one');
    const firstAnswer = await first;
    const make = jest.fn((previous: Answer | undefined) => Promise.resolve(previous ?? { text: 'new' }));
    expect(await answers.find('a', make)).toBe(firstAnswer);
    expect(make).toHaveBeenCalledWith(firstAnswer);
  });

  it('shared answers are bounded, whatever anonymous clients ask for', async () => {
    for (let name = 0; name < 10_000; name += 1)
      await answers.find(`name ${name}`, () => Promise.resolve({ text: 'x' }));
    expect(answers.size).toBe(3);
  });
});
