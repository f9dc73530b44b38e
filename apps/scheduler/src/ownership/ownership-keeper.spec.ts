import { OwnershipRig, TTL_MS } from '@test/support/ownership-rig';
import { silenceLog } from '@test/support/silent-log';

silenceLog();

describe('OwnershipKeeper', () => {
  let rig: OwnershipRig;

  beforeEach(() => {
    rig = new OwnershipRig();
  });
  afterEach(() => rig.stop());

  it('a scheduler owns everything while it is alone, and half when another comes', async () => {
    const first = await rig.start('s1');
    expect(first.owned.architectures).toHaveLength(4);
    const second = await rig.start('s2');
    await rig.time(TTL_MS);
    expect(first.owned.architectures).toHaveLength(2);
    expect(second.owned.architectures).toHaveLength(2);
    expect(new Set([...first.owned.architectures, ...second.owned.architectures]).size).toBe(4);
  });

  it('a scheduler follows the architectures that the deployment has', async () => {
    const { owned } = await rig.start('s1');
    rig.architectures = ['amd64', 'arm64', 'i386'];
    await rig.time(TTL_MS);
    expect(owned.architectures).toEqual(['amd64', 'arm64', 'i386']);
    expect((await rig.start('s2')).owned.architectures).not.toContain('s390x');
  });

  it('a claim with a late answer serves no architecture that the deployment no longer has, and leaves it to others', async () => {
    let answer = () => undefined as void;
    let isSlow = false;
    const { owned } = await rig.start('s1', {
      claim: async (...args) => {
        if (args[0] === 's390x' && isSlow) await new Promise<void>((resolve) => (answer = resolve));
        return rig.books.claim(...args);
      },
    });
    isSlow = true;
    rig.architectures = ['amd64', 'arm64', 'riscv64'];
    await rig.time(TTL_MS / 2);
    expect(owned.architectures).toEqual(rig.architectures);
    const started = jest.spyOn(owned, 'start');
    answer();
    await rig.time(TTL_MS / 10);
    expect(owned.architectures).toEqual(rig.architectures);
    expect(started).not.toHaveBeenCalled();
    expect(await rig.books.claim('s390x', 's2', TTL_MS)).not.toBeNull();
  });

  it('a scheduler leaves everything to the others when the workers cannot reach it, and takes its part again when they can', async () => {
    const first = await rig.start('s1');
    const second = await rig.start('s2');
    await rig.time(TTL_MS);
    rig.cutOff.add('s1');
    await rig.time(TTL_MS);
    expect(first.owned.architectures).toHaveLength(2);
    await rig.time(3 * TTL_MS);
    expect(first.owned.architectures).toEqual([]);
    expect(second.owned.architectures).toEqual(rig.architectures);
    rig.cutOff.clear();
    await rig.time(2 * TTL_MS);
    expect(first.owned.architectures).toHaveLength(2);
    expect(second.owned.architectures).toHaveLength(2);
  });

  it('a scheduler keeps what it owns when the workers can reach no other scheduler either', async () => {
    const first = await rig.start('s1');
    const second = await rig.start('s2');
    await rig.time(TTL_MS);
    const [ours, theirs] = [first.owned.architectures, second.owned.architectures];
    rig.cutOff.add('s1').add('s2');
    await rig.time(10 * TTL_MS);
    expect([first.owned.architectures, second.owned.architectures]).toEqual([ours, theirs]);
    const alone = await rig.start('s3');
    await rig.time(TTL_MS);
    expect(alone.owned.architectures).toEqual(rig.architectures);
  });

  it('a scheduler hands over at once when it is stopped', async () => {
    const { keeper } = await rig.start('s1');
    await keeper.stop();
    expect((await rig.start('s2')).owned.architectures).toHaveLength(4);
  });

  it('a scheduler with the signal of a release takes over at once what the leaving one releases, all of it', async () => {
    rig.areSignalled = true;
    const first = await rig.start('s1');
    const second = await rig.start('s2');
    await rig.time(2 * TTL_MS);
    expect([first.owned.architectures, second.owned.architectures].map(({ length }) => length)).toEqual([
      2, 2,
    ]);
    await first.keeper.stop();
    await rig.time(0);
    expect(second.owned.architectures).toEqual(rig.architectures);
  });

  it('a new scheduler gets the signal of what it may have, and claims it at once', async () => {
    rig.areSignalled = true;
    await rig.start('s1');
    const second = await rig.start('s2');
    await rig.time(TTL_MS / 3);
    expect(second.owned.architectures).toHaveLength(2);
  });

  it('a scheduler keeps the epoch as long as it renews', async () => {
    const { owned } = await rig.start('s1');
    const term = owned.terms.get('amd64');
    await rig.time(20 * TTL_MS);
    expect(owned.terms.get('amd64')).toBe(term);
    expect(term?.holds()).toBe(true);
  });

  it('a scheduler that cannot renew abandons an ownership by its own clock, before another can have it', async () => {
    let isAway = false;
    const { owned } = await rig.start('s1', {
      claim: (...args) => (isAway ? new Promise(() => undefined) : rig.books.claim(...args)),
    });
    rig.keepers = [];
    isAway = true;
    const latestRenewalMs = rig.clock.now();
    await rig.time(TTL_MS - 1);
    expect(rig.clock.now() - latestRenewalMs).toBeLessThan(TTL_MS);
    expect(owned.architectures).toEqual([]);
  });

  it('a scheduler takes over within two times the time-to-live when another dies, under a higher epoch', async () => {
    let isDead = false;
    const dead = () => new Promise<never>(() => undefined);
    const first = await rig.start('s1', {
      claim: (...args) => (isDead ? dead() : rig.books.claim(...args)),
      reportAlive: (...args) => (isDead ? dead() : rig.books.reportAlive(...args)),
      release: (...args) => (isDead ? dead() : rig.books.release(...args)),
    });
    const epoch = first.owned.terms.get('amd64')?.epoch ?? 0;
    const second = await rig.start('s2');
    rig.keepers.shift();
    isDead = true;
    await rig.time(2 * TTL_MS);
    expect(second.owned.architectures).toHaveLength(4);
    expect(second.owned.terms.get('amd64')?.epoch).toBeGreaterThan(epoch);
  });

  it('a scheduler gives up what it cannot serve', async () => {
    const { owned } = await rig.start('s1');
    const term = owned.terms.get('amd64');
    term?.abandon('the bus refuses');
    expect(term?.holds()).toBe(false);
    expect(owned.architectures).not.toContain('amd64');
    await rig.time(TTL_MS);
    expect(owned.terms.get('amd64')?.epoch).toBeGreaterThan(term?.epoch ?? 0);
  });

  describe('hanging calls to the database', () => {
    const hung = () => new Promise<never>(() => undefined);

    it('a scheduler goes on renewing its other ownerships while the renewal of one hangs', async () => {
      let hanging = '';
      const { owned } = await rig.start('s1', {
        claim: (arch, ...args) => (arch === hanging ? hung() : rig.books.claim(arch, ...args)),
      });
      hanging = 'amd64';
      await rig.time(10 * TTL_MS);
      expect(owned.architectures).toEqual(['arm64', 'riscv64', 's390x']);
      hanging = '';
      await rig.time(2 * TTL_MS);
      expect(owned.architectures).toHaveLength(4);
    });

    it.each(['reportAlive', 'release'] as const)(
      'a scheduler goes on renewing while %s hangs',
      async (call) => {
        let isHanging = false;
        const { owned } = await rig.start('s1', {
          [call]: (...args: [string, never]) => (isHanging ? hung() : rig.books[call](...args)),
        });
        const term = owned.terms.get('arm64');
        isHanging = true;
        owned.terms.get('amd64')?.abandon('it is tried out');
        await rig.time(10 * TTL_MS);
        expect(owned.terms.get('arm64')).toBe(term);
        expect(term?.holds()).toBe(true);
        isHanging = false;
        await rig.time(2 * TTL_MS);
        expect(owned.architectures).toHaveLength(4);
      },
    );

    it('a scheduler owns an abandoned architecture again, though the end of the term before hangs', async () => {
      const { owned } = await rig.start('s1');
      const term = owned.terms.get('amd64')!;
      const end = owned.stop.bind(owned);
      owned.stop = hung;
      rig.architectures = ['arm64', 'riscv64', 's390x'];
      await rig.time(TTL_MS / 2);
      rig.architectures = ['amd64', ...rig.architectures];
      await rig.time(3 * TTL_MS);
      owned.stop = end;
      expect(owned.terms.get('amd64')?.epoch).toBeGreaterThan(term.epoch);
      expect(owned.architectures).toHaveLength(4);
    });

    it('a renewal that is answered after a later one changes nothing', async () => {
      const answers: (() => void)[] = [];
      let isSlow = false;
      const { owned } = await rig.start('s1', {
        claim: async (...args) => {
          const claimed = await rig.books.claim(...args);
          if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
          return claimed;
        },
      });
      const term = owned.terms.get('amd64');
      isSlow = true;
      await rig.time(TTL_MS / 3);
      isSlow = false;
      await rig.time(TTL_MS / 3);
      for (const answer of answers) answer();
      await rig.time(TTL_MS / 2);
      expect(owned.terms.get('amd64')).toBe(term);
      expect(term?.holds()).toBe(true);
    });
  });
});
