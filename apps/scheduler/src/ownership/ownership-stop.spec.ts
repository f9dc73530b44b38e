import { OwnershipRig, TTL_MS } from '@test/support/ownership-rig';
import { silenceLog } from '@test/support/silent-log';

silenceLog();

describe('a stop of the OwnershipKeeper', () => {
  let rig: OwnershipRig;

  beforeEach(() => {
    rig = new OwnershipRig();
  });
  afterEach(() => rig.stop());

  describe('a stop while claims have no answer', () => {
    /** Starts a scheduler whose claims of s390x get no answer after the first. */
    async function startSlowly() {
      const answers: (() => void)[] = [];
      let isSlow = false;
      const { keeper, owned } = await rig.start('s1', {
        claim: async (...args) => {
          if (args[0] === 's390x' && isSlow) await new Promise<void>((resolve) => answers.push(resolve));
          return rig.books.claim(...args);
        },
      });
      isSlow = true;
      return { keeper, owned, answers };
    }

    it.each([
      ['while the term lasts', TTL_MS / 3],
      ['after the end of the term', TTL_MS],
    ])('waits for them, serves nothing, and leaves the architectures to others: %s', async (_, ms) => {
      const { keeper, owned, answers } = await startSlowly();
      await rig.time(ms);
      const [started, stopped] = [jest.spyOn(owned, 'start'), jest.fn()];
      const stopping = keeper.stop().then(stopped);
      await rig.time(0);
      expect(stopped).not.toHaveBeenCalled();
      answers.forEach((answer) => answer());
      await stopping;
      expect(started).not.toHaveBeenCalled();
      for (const arch of rig.architectures) expect(await rig.books.claim(arch, 's2', TTL_MS)).not.toBeNull();
    });

    it('ends without them when they do not come, and serves nothing when they come later', async () => {
      const { keeper, owned, answers } = await startSlowly();
      await rig.time(TTL_MS / 3);
      const [started, stopped] = [jest.spyOn(owned, 'start'), jest.fn()];
      void keeper.stop().then(stopped);
      await rig.time(TTL_MS);
      expect(stopped).toHaveBeenCalled();
      expect(await rig.books.claim('amd64', 's2', TTL_MS)).not.toBeNull();
      answers.forEach((answer) => answer());
      await rig.time(TTL_MS);
      expect(started).not.toHaveBeenCalled();
    });
  });

  it('a scheduler that stops does not announce itself again at the signal of a release', async () => {
    let answer = () => undefined as void;
    let announced = 0;
    const { keeper } = await rig.start('s1', {
      reportAlive: async (...args) => {
        announced += 1;
        if (announced === 2) await new Promise<void>((resolve) => (answer = resolve));
        return rig.books.reportAlive(...args);
      },
    });
    await rig.time(TTL_MS / 3);
    keeper.onReleased();
    const stopping = keeper.stop();
    answer();
    await stopping;
    await rig.time(0);
    expect(announced).toBe(2);
  });
});
