import type { RunReader } from '@proctor/database';
import { ManualClock } from '@test/support/manual-clock';
import { silenceLog } from '@test/support/silent-log';
import { LiveTopics } from './live-topics';

silenceLog();

const nothing = (): void => undefined;

function rig() {
  const versions = new Map([
    ['front', 'one'],
    ['run/7', 'one'],
  ]);
  const questions: string[] = [];
  const clock = new ManualClock();
  let hint = nothing;
  const versionOf = (topic: string, { userName, everything }: RunReader): Promise<string> => {
    const who = everything ? ' for administrators' : userName ? ` for ${userName}` : '';
    questions.push(topic + who);
    return Promise.resolve(versions.get(topic + who) ?? versions.get(topic) ?? '');
  };
  const topics = new LiveTopics(versionOf, clock, { listen: (_subject, received) => void (hint = received) });
  topics.onApplicationBootstrap();
  return { topics, versions, questions, clock, hint: () => hint() };
}

/** Everything that was begun has ended. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('one check serves all pages that show the same', async () => {
  const { topics, versions, questions, clock } = rig();
  const stale = [jest.fn(), jest.fn(), jest.fn()];
  await topics.watch('front', {}, { stale: stale[0]!, end: nothing });
  await topics.watch('front', {}, { stale: stale[1]!, end: nothing });
  await topics.watch('run/7', {}, { stale: stale[2]!, end: nothing });
  versions.set('front', 'two');
  questions.length = 0;
  clock.advance(2_000);
  await settled();
  expect(questions).toEqual(['front', 'run/7']);
  expect(stale.map((each) => each.mock.calls.length)).toEqual([1, 1, 0]);
});

it('a reader who sees more than the public has a check of their own, and all others share one', async () => {
  const { topics, versions, questions, clock } = rig();
  versions.set('run/8 for ada', 'one');
  versions.set('run/8 for administrators', 'one');
  const [ada, root, bob] = [jest.fn(), jest.fn(), jest.fn()];
  await topics.watch('run/8', { userName: 'ada' }, { stale: ada, end: nothing });
  for (const userName of ['root', 'toor'])
    await topics.watch('run/8', { everything: true, userName }, { stale: root, end: nothing });
  await topics.watch('run/7', { userName: 'bob' }, { stale: bob, end: nothing });
  await topics.watch('run/7', {}, { stale: bob, end: nothing });
  expect(await topics.watch('run/8', { userName: 'bob' }, { stale: nothing, end: nothing })).toBeNull();
  questions.length = 0;
  versions.set('run/8 for ada', 'two');
  clock.advance(2_000);
  await settled();
  expect(questions).toEqual(['run/8 for ada', 'run/8 for administrators', 'run/7']);
  expect([ada, root, bob].map((each) => each.mock.calls.length)).toEqual([1, 0, 0]);
});

it('a hint that a run has ended leads to a look at once', async () => {
  const { topics, versions, hint } = rig();
  const stale = jest.fn();
  await topics.watch('front', {}, { stale, end: nothing });
  versions.set('front', 'two');
  hint();
  await settled();
  expect(stale).toHaveBeenCalledTimes(1);
});

it('what is not there cannot be followed, and what no page follows is not checked', async () => {
  const { topics, questions, clock, hint } = rig();
  expect(await topics.watch('run/8', {}, { stale: nothing, end: nothing })).toBeNull();
  const leave = await topics.watch('front', {}, { stale: nothing, end: nothing });
  leave!();
  questions.length = 0;
  clock.advance(10_000);
  hint();
  await settled();
  expect(questions).toEqual([]);
});

it('a look that fails is followed by the next', async () => {
  const { topics, versions, clock } = rig();
  const stale = jest.fn();
  await topics.watch('front', {}, { stale, end: nothing });
  const get = jest.spyOn(versions, 'get').mockImplementationOnce(() => {
    throw new Error('the database is away');
  });
  versions.set('front', 'two');
  clock.advance(2_000);
  await settled();
  expect([get.mock.calls.length, stale.mock.calls.length]).toEqual([1, 0]);
  clock.advance(2_000);
  await settled();
  expect(stale).toHaveBeenCalledTimes(1);
});

it('the end of the process ends what pages follow', async () => {
  const { topics } = rig();
  const end = jest.fn();
  await topics.watch('front', {}, { stale: nothing, end });
  topics.beforeApplicationShutdown();
  expect(end).toHaveBeenCalledTimes(1);
  await expect(topics.watch('front', {}, { stale: nothing, end: nothing })).rejects.toMatchObject({
    status: 503,
  });
});

it('a page that asks while the process begins to end gets an answer that says so, and is not followed', async () => {
  const { topics, clock, questions } = rig();
  const watched = topics.watch('front', {}, { stale: nothing, end: nothing });
  topics.beforeApplicationShutdown();
  await expect(watched).rejects.toMatchObject({ status: 503 });
  questions.length = 0;
  clock.advance(10_000);
  expect(questions).toEqual([]);
});
