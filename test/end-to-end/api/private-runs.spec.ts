import { isDeepStrictEqual } from 'node:util';
import { awayFromNextHour } from '@test/support/midnight';
import { runError } from '@test/support/run-error';
import type { Ask, Names } from './private-runs/asks';
import { CHANGES } from './private-runs/changes';
import { requestViews, type ViewAnswers, VIEWS } from './private-runs/view';
import { FIRST_HIDDEN_ID, NOW, World, type Slot } from './private-runs/world';

const HIDDEN = { is_private: true, trigger: 'words that only private runs hold', priority: 10 };
const FILES = { 'log.gz': 'a log', 'artifacts.tar.gz': 'artifacts' };
const W1: Slot = { worker: 'w1', slot: 1 };
const W2: Slot = { worker: 'w2', slot: 0 };
const AT_ONCE = 8;

/** All else is the same. */
let worlds: { withoutThem: World; withThem: World };
/** Private runs. */
const hidden = { gcc: 0, kernel: 0, secret: 0, again: 0 };
/** What is asked for in both. */
const names: Names = {
  suites: ['bookworm', 'trixie', 'sid'],
  packages: [
    ...['hello', 'gcc', 'dash', 'libopen', 'secret', 'unheard-of'].map((name) => at(name)),
    at('secret-kernel', 'trixie'),
  ],
  runs: [],
};

// Pages show the figures of the present hour.
beforeAll(awayFromNextHour);
beforeAll(async () => {
  const [withoutThem, withThem] = await Promise.all([World.make(), World.make()]);
  worlds = { withoutThem, withThem };
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
  await inBoth(setTheScene);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([worlds?.withoutThem.stop(), worlds?.withThem.stop()]);
});

function at(name: string, suite = 'bookworm') {
  return { name, suite };
}

/** A run that is asked for from now on, in both worlds. */
function know(runId: number, name: string, suite?: string, isBobs = false): number {
  if (!names.runs.some((run) => run.runId === runId)) names.runs.push({ runId, isBobs, ...at(name, suite) });
  return runId;
}

async function inBoth(work: (world: World) => Promise<void>): Promise<void> {
  await Promise.all([work(worlds.withoutThem), work(worlds.withThem)]);
}

async function submit(world: World, name: string, parameters = {}, key?: string): Promise<number> {
  return know(await world.submit(name, parameters, key), name, undefined, key === world.api.keys.bob);
}

async function setTheScene(world: World): Promise<void> {
  const { api } = world;
  const failure = { verdict: 'fail' as const, error: runError('no space left on device') };
  for (const outcome of [{}, failure, {}]) {
    await api.finish(know(await api.submit('hello'), 'hello'), { files: FILES, ...outcome });
  }
  await api.finish(know(await api.submit('gcc', {}, api.keys.bob), 'gcc', undefined, true), { files: FILES });
  const running = await submit(world, 'dash', { priority: 9 });
  await world.grant(running, { worker: 'w1', slot: 0 });
  await world.start(running, { worker: 'w1', slot: 0 });
  await submit(world, 'hello');
  await submit(world, 'gcc', {}, api.keys.bob);
  await submit(world, 'gcc', { priority: 4 });
  await submit(world, 'dash', { priority: 4 }, api.keys.bob);
}

type Work = (world: World) => Promise<unknown>;

/** What happens to private runs, and in both worlds before that. */
const STEPS: [string, Work, Work?][] = [
  [
    'waits, for what public runs wait for or in a suite, for a backend, a variant, a source and a size class of its own',
    async (world) => {
      hidden.gcc = know(await world.submit('gcc', HIDDEN), 'gcc');
      const needs = { backend: 'qemu', autopkgtest: 'newest', extra_apt_sources: ['inner'] };
      const answer = await world.api.api('/test/trixie/amd64/secret-kernel', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...HIDDEN, ...needs }),
      });
      const [run] = ((await answer.json()) as { runs: { run_id: number }[] }).runs;
      hidden.kernel = know(run!.run_id, 'secret-kernel', 'trixie');
      await world.ingest();
    },
  ],
  ['was leased', (world) => world.grant(hidden.gcc, W2)],
  ['went back', (world) => world.handBack(hidden.gcc, W2)],
  [
    'runs, and fills the caps of its user, package and suite',
    async (world) => {
      await world.grant(hidden.gcc, W2);
      await world.start(hidden.gcc, W2, 2);
    },
    (world) => world.pass(20 * 60_000),
  ],
  [
    'has failed and waits for another try',
    (world) =>
      world.finish(
        hidden.gcc,
        {
          ...W2,
          attempt: 2,
          verdict: 'tmpfail',
          message: 'no network',
          excerpt: runError(HIDDEN.trigger).excerpt,
        },
        FILES,
      ),
  ],
  ['waits for another worker', (world) => Promise.resolve(world.endDelay(hidden.gcc))],
  [
    'has failed, with files, after long, or was cancelled',
    async (world) => {
      await world.grant(hidden.gcc, W1);
      await world.start(hidden.gcc, W1, 3);
      await world.finish(
        hidden.gcc,
        {
          ...W1,
          attempt: 3,
          verdict: 'fail',
          durationSeconds: 7_200,
          excerpt: runError(HIDDEN.trigger).excerpt,
        },
        FILES,
      );
      await world.api.api(`/test/${hidden.kernel}`, { method: 'DELETE' });
      await world.ingest();
    },
    (world) => world.pass(20 * 60_000),
  ],
  [
    'was retried before the run that it repeats was published, or asked for with a word of its own, of a package that is tested in public later',
    async (world) => {
      const { published } = world.ids;
      const response = await world.api.api(`/retry/${published}`, { method: 'POST' });
      hidden.again = know(((await response.json()) as { run_id: number }).run_id, 'libopen');
      const headers = { 'Idempotency-Key': 'once secret' };
      const body = new URLSearchParams({ is_private: 'true', priority: '7' });
      const path = '/test/bookworm/amd64/secret';
      const answer = await world.api.api(path, { method: 'POST', body, headers });
      hidden.secret = know(
        ((await answer.json()) as { runs: { run_id: number }[] }).runs[0]!.run_id,
        'secret',
      );
      await world.ingest();
    },
    async (world) => {
      const runId = know(await world.submit('libopen', { is_private: true, priority: 8 }), 'libopen');
      world.ids.published = runId;
      await world.grant(runId, W1);
      await world.finish(runId, { ...W1, durationSeconds: 60 }, FILES);
    },
  ],
  [
    'repeats a run that is public by now, or is of a package that is tested in public now',
    () => Promise.resolve(),
    async (world) => {
      await publish(world, world.ids.published!);
      await submit(world, 'secret', {}, world.api.keys.bob);
    },
  ],
];

async function publish(world: World, runId: number): Promise<void> {
  const body = new URLSearchParams({ run_ids: String(runId) });
  await world.api.api('/test/publish', { method: 'POST', body });
  await world.ingest();
}

function asksOf(table: typeof VIEWS, viewNames = names): Ask[] {
  return Object.values(table).flatMap((asks) => asks(viewNames));
}

async function viewOf(
  world: World,
  earlier?: Record<string, ViewAnswers>,
): Promise<Record<string, ViewAnswers>> {
  await world.settle();
  return requestViews(world.api, asksOf(VIEWS), AT_ONCE, earlier);
}

/** What was seen of the world without private runs, for as long as nothing happens there. */
let baseline: Record<string, ViewAnswers> = {};

async function inPublic(work: Work): Promise<void> {
  baseline = {};
  await inBoth(async (world) => void (await work(world)));
}

/** Private runs make no difference to the answers for all others. */
async function expectTheSame(): Promise<void> {
  const answers = await viewOf(worlds.withThem);
  baseline = await viewOf(worlds.withoutThem, baseline);
  expect(answers).toEqual(baseline);
}

/** A user's own pages are closed to strangers, whatever is asked for there. */
const routesWithRun = Object.entries({ ...VIEWS, ...CHANGES }).filter(
  ([route]) => route.includes(':run_id') && !route.includes('/user/'),
);

it('every route of the application is asked', () => {
  const routeNames = [...Object.keys(VIEWS), ...Object.keys(CHANGES)];
  expect(routeNames.sort()).toEqual([...worlds.withoutThem.api.routes].sort());
  expect(routesWithRun).toHaveLength(25);
});

it.each(STEPS.map(([what, secretly, openly]) => ({ what, secretly, openly })))(
  'a stranger gets the same, to the byte, as if there was no private run that $what',
  async ({ secretly, openly }) => {
    if (openly) await inPublic(openly);
    await worlds.withThem.apart(() => secretly(worlds.withThem));
    await expectTheSame();
  },
);

/** As the private runs are by now: finished, cancelled, waiting. */
describe('routes with a run', () => {
  const UNKNOWN = 700_999;

  it.each(routesWithRun)(
    'a private run is no run for a stranger, in the same words, at %s',
    async (_route, asks) => {
      const hidden = names.runs.filter((run) => run.runId >= FIRST_HIDDEN_ID);
      expect(hidden).not.toEqual([]);
      for (const { runId, name, suite } of hidden) {
        const seenAt = async (id: number): Promise<Record<string, ViewAnswers>> => {
          const ownAsks = asks({ ...names, runs: [{ runId: id, name, suite, isBobs: false }] });
          const heads = ownAsks.flatMap((ask) => (ask.method === 'GET' ? { ...ask, method: 'HEAD' } : []));
          const answers = await requestViews(worlds.withThem.api, [...ownAsks, ...heads]);
          // It is made of the body, which repeats the id.
          for (const { headers } of Object.values(answers)) delete headers['etag'];
          return JSON.parse(JSON.stringify(answers).replaceAll(String(id), 'ID')) as Record<
            string,
            ViewAnswers
          >;
        };
        const answers = await seenAt(runId);
        expect(answers).toEqual(await seenAt(UNKNOWN));
        for (const [ask, { status }] of Object.entries(answers)) expect([ask, status]).toEqual([ask, 404]);
      }
    },
  );
});

it('a stranger who asks for changes gets the same as if there was no private run, and so do all others afterwards', async () => {
  const answers: Record<string, ViewAnswers>[] = [];
  for (const { api } of Object.values(worlds)) answers.push(await requestViews(api, asksOf(CHANGES)));
  expect(answers[1]).toEqual(answers[0]);
  const statuses = new Set(Object.values(answers[0]!).map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 201, 204, 303, 400, 401, 403, 404, 409]);
  await inPublic((world) => world.ingest());
  await expectTheSame();
});

/** What they do to a machine is no secret: public runs wait for it. Which runs did it is one. */
it('a stranger sees its state, and nothing else', async () => {
  const { withThem } = worlds;
  const broken: number[] = [];
  await withThem.apart(async () => {
    for (const name of ['breaks-one', 'breaks-two']) {
      const runId = await withThem.submit(name, HIDDEN);
      broken.push(runId);
      await withThem.grant(runId, W2);
      await withThem.finish(runId, { ...W2, verdict: 'tmpfail', message: 'no network' });
    }
  });
  const [before, after] = [await viewOf(worlds.withoutThem, baseline), await viewOf(withThem)];
  const differing = Object.keys(before).filter((ask) => !isDeepStrictEqual(before[ask], after[ask]));
  const allowed =
    /(GET \/|\/(api|data)\/v1\/(workers(\/w[12])?|queues|test\/\d+)|\/status\/(queue|workers|workers\/w[12])(\/|\.json|\.xml)?|\/packages\/\w+\/[\w-]+\/\w+\/amd64\/\d+\/)$/;
  for (const ask of differing) expect(ask).toMatch(allowed);
  const ids = new RegExp(`breaks|${broken.join('|')}`);
  for (const ask of differing) expect([ask, ids.exec(after[ask]!.body)]).toEqual([ask, null]);
  const [workers] = Object.entries(after)
    .find(([ask]) => ask.endsWith('GET /api/v1/workers'))!
    .slice(1) as [ViewAnswers];
  expect(JSON.parse(workers.body)).toMatchObject({
    workers: [
      { name: 'w1', standing: 'sound' },
      { name: 'w2', standing: 'slowed', reason: 'attempts failed here in a row' },
    ],
  });
});
