import { jsonBytes, MESSAGE_BYTES_MAX } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { ARCH, leaseRequest, settings, waitingRun } from '@test/support/runs';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';
const NEXT_LIFE = { incarnation: NEW_LIFE, previous: [leaseRequest().incarnation] };

it('a lease carries the versions that are rejected for its package, suite and architecture', () => {
  const rejectedVersions = (...versions: string[]) => [versions.join(' ')];
  const rig = new DispatcherRig([waitingRun(1, { package: 'glibc' })], { rejectedVersions });
  expect(rig.ask().reply.lease?.rejectedVersions).toEqual([`glibc trixie ${ARCH}`]);
});

it.each([true, false])('a lease says whether its run is private: %s', (isPrivate) => {
  const rig = new DispatcherRig([waitingRun(1, { isPrivate })]);
  expect(rig.ask().reply.lease?.isPrivate).toBe(isPrivate);
});

describe('oversized leases', () => {
  const sources = (...names: string[]) => {
    const source = (name: string) => ({ name, lines: ['deb x'], signingKey: name.repeat(400_000) });
    return { extraAptSources: new Map(names.map((name) => [name, source(name)] as const)) };
  };
  const short = settings({
    extraAptSources: new Map(['a', 'b', 'c'].map((name) => [name, { name, lines: [] }])),
  });
  const extraAptSources = ['a', 'b', 'c'];
  const TOO_LONG = /^its lease has no room in a message: 1200\d{3} bytes/;

  it('a lease that has no room in a message is not granted; its run waits for that reason until the configuration has room, and others go', () => {
    const rig = new DispatcherRig(
      [waitingRun(1, { extraAptSources }), waitingRun(2)],
      sources('a', 'b', 'c'),
    );
    const { reply } = rig.ask();
    expect(reply.lease?.runId).toBe(2);
    expect(rig.ask({ slot: 1 })).toMatchObject({ writes: [], reply: { lease: null } });
    expect(rig.explain()).toMatchObject({ startsInMs: null, reasons: [expect.stringMatching(TOO_LONG)] });
    rig.send({ kind: 'settings', settings: short });
    expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(1);
  });

  it.each([
    ['a trigger', waitingRun(1, { trigger: '\u0001'.repeat(200_000) }), {}],
    ['pins', waitingRun(1, { pinPackages: Array.from({ length: 150_000 }, () => ['a', 'b']) }), {}],
    ['rejected versions', waitingRun(1), { rejectedVersions: () => ['1'.repeat(1_100_000)] }],
  ])('a run whose lease has no room because of %s waits as well', (_what, run, changes) => {
    const rig = new DispatcherRig([run], changes);
    expect(rig.ask()).toMatchObject({ writes: [], reply: { lease: null } });
    expect(rig.reasons()).toEqual([expect.stringMatching(/^its lease has no room in a message/)]);
  });

  it('a lease that has no room since the configuration was changed is taken back from its slot, once', () => {
    const rig = new DispatcherRig([waitingRun(1, { extraAptSources })], short);
    expect(rig.ask().reply.lease?.runId).toBe(1);
    rig.send({ kind: 'settings', settings: settings(sources('a', 'b', 'c')) });
    expect(rig.ask()).toMatchObject({
      writes: [
        { kind: 'requeue', runId: 1, outcome: 'returned', reason: expect.stringMatching(TOO_LONG) as string },
      ],
      reply: { lease: null },
    });
    expect(rig.ask()).toMatchObject({ writes: [], reply: { lease: null } });
  });

  it('a lease names a source once, and two of this size have room', () => {
    const twice = ['a', 'b', 'a', 'b', 'a'];
    const rig = new DispatcherRig([waitingRun(1, { extraAptSources: twice })], sources('a', 'b'));
    const { reply } = rig.ask();
    expect(reply.lease?.extraAptSources.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(jsonBytes(reply)).toBeLessThan(MESSAGE_BYTES_MAX);
  });
});

it('an answer names fifty wanted testbeds at most', () => {
  const rig = new DispatcherRig(Array.from({ length: 80 }, (_, n) => waitingRun(n + 1, { suite: `s${n}` })));
  expect(rig.ask({ testbeds: [], builds: ['unshare'] }).reply.wanted).toHaveLength(50);
});

describe('lease requests', () => {
  it('a lease request is granted the best run, under the next attempt', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { priority: 9, attempt: 4 })]);
    const { writes, reply } = rig.ask();
    expect(writes).toEqual([
      { kind: 'grant', runId: 2, attempt: 5, worker: 'w1', incarnation: leaseRequest().incarnation, slot: 0 },
    ]);
    expect(reply).toMatchObject({
      arch: ARCH,
      epoch: 7,
      ask: leaseRequest().ask,
      lease: { runId: 2, attempt: 5 },
    });
  });

  it('a repeated lease request gets the lease that the slot holds, and writes nothing', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2)]);
    const first = rig.ask();
    const again = rig.ask();
    expect(again.writes).toEqual([]);
    expect(again.reply.lease).toEqual(first.reply.lease);
    expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(2);
  });

  it('a worker that was started again loses the lease of its former life when it asks', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    const { writes, reply } = rig.ask(NEXT_LIFE);
    expect(writes).toMatchObject([{ kind: 'requeue', runId: 1, attempt: 1, outcome: 'lost' }]);
    expect(reply.lease).toBeNull();
    expect(rig.tick(30_000).workWaiting).toBe(true);
    expect(rig.ask(NEXT_LIFE).reply.lease).toMatchObject({ runId: 1, attempt: 2 });
  });

  it.each([
    ['with a problem', { problem: 'the disk is full' }],
    ['for what the slot holds alone', { onlyHeld: true }],
  ])(
    'a lease request %s is granted nothing, and the answer names the lease that the slot has',
    (_what, changes) => {
      const rig = new DispatcherRig([waitingRun(1), waitingRun(2)]);
      expect(rig.ask(changes)).toMatchObject({ writes: [], reply: { lease: null } });
      rig.ask();
      expect(rig.ask(changes)).toMatchObject({ writes: [], reply: { lease: { runId: 1, attempt: 1 } } });
      expect(rig.ask({ slot: 1, ...changes }).reply.lease).toBeNull();
    },
  );

  it.each([
    ['three times before its worker counts as silent', 5_000, 20_000],
    ['no sooner than every slot', 30_000, 30_000],
  ])('a slot that is busy elsewhere asks again %s', (_, askAgainMs, expected) => {
    const rig = new DispatcherRig([], { askAgainMs, workerQuietMaxMs: 60_000 });
    expect(rig.ask({ onlyHeld: true }).reply.askAgainMs).toBe(expected);
  });

  it.each([
    ['another suite', { testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }] }],
    ['another backend', { testbeds: [{ suite: 'trixie', backend: 'qemu', state: 'ready' }] }],
    [
      'an image still being built',
      { testbeds: [{ suite: 'trixie', backend: 'unshare', state: 'building' }] },
    ],
    ['another variant', { variants: ['stub'] }],
  ])('a lease request that offers %s gets nothing', (_, offer) => {
    expect(new DispatcherRig([waitingRun(1)]).ask(offer).reply.lease).toBeNull();
  });

  it('a worker gets to know a suite that it never named, when it can build images of any', () => {
    const rig = new DispatcherRig([waitingRun(1, { suite: 'forky' })]);
    expect(rig.ask({ testbeds: [] }).reply.wanted).toEqual([]);
    expect(rig.ask({ testbeds: [], builds: ['unshare'] }).reply.wanted).toEqual([
      { suite: 'forky', backend: 'unshare' },
    ]);
  });

  it('the answer to a worker names the absent testbeds that waiting runs need', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { suite: 'sid', variant: 'stub' })]);
    const testbeds = ['trixie', 'sid', 'bookworm'].map((suite) => ({
      suite,
      backend: 'unshare',
      state: 'absent',
    }));
    expect(rig.ask({ testbeds }).reply.wanted).toEqual([{ suite: 'trixie', backend: 'unshare' }]);
  });

  it('a drained worker gets nothing new and nothing to build, but keeps what it has', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2, { suite: 'sid' })]);
    const builds = ['unshare'];
    const { lease } = rig.ask({ builds }).reply;
    const drain = { worker: 'w1', by: 'ada', reason: 'new disk', since: '2026-11-20 10:00:00' };
    rig.send({ kind: 'restrictions', restrictions: { pauses: [], drains: [drain] } });
    expect(rig.ask({ builds }).reply).toMatchObject({ lease, wanted: [] });
    const free = rig.ask({ slot: 1, testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }] });
    expect(free.reply.lease).toBeNull();
    rig.send({ kind: 'restrictions', restrictions: { pauses: [], drains: [] } });
    expect(rig.ask({ builds }).reply.wanted).toEqual([{ suite: 'sid', backend: 'unshare' }]);
  });

  it('a lease carries the extra apt sources whole; a run whose source is gone waits', () => {
    const extra = { name: 'extra', lines: ['deb http://example.org/ ./'] };
    const runs = [
      waitingRun(1, { extraAptSources: ['gone'] }),
      waitingRun(2, { extraAptSources: ['extra'] }),
    ];
    const rig = new DispatcherRig(runs, { extraAptSources: new Map([['extra', extra]]) });
    expect(rig.ask().reply.lease).toMatchObject({ runId: 2, extraAptSources: [extra] });
    expect(rig.ask({ slot: 1 }).reply.lease).toBeNull();
    expect(rig.reasons()[0]).toBe('the extra apt source gone is no longer configured');
  });
});
