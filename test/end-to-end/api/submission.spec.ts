import fc from 'fast-check';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Body = NonNullable<RequestInit['body']>;

interface Answer {
  runs: { run_id: number; package: string; suite: string; arch: string }[];
  ignored: { index: number; package: string; reason: string }[];
  warnings: string[];
}

const LIST = '/test/bookworm/amd64';
const TESTS = [{ package: 'hello', trigger: 'glibc/2.40 é' }, { package: 'Bad' }, { package: 'blocked' }];

function post(path: string, body?: Body, type?: string): Promise<Response> {
  return api.api(path, {
    method: 'POST',
    ...(body !== undefined ? { body } : {}),
    ...(type ? { headers: { 'Content-Type': type } } : {}),
  });
}

async function created(response: Response): Promise<Answer> {
  const answer = (await response.json()) as Answer;
  expect([response.status, answer]).toEqual([201, answer]);
  return answer;
}

async function resultOf(runId: number): Promise<Record<string, unknown>> {
  return (await (await api.api(`/test/${runId}`)).json()) as Record<string, unknown>;
}

function multipart(parts: string[], boundary = 'x'): [Body, string] {
  const body = parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; ${part}\r\n`).join('');
  return [`${body}--${boundary}--\r\n`, `multipart/form-data; boundary=${boundary}`];
}

describe('a list of tests', () => {
  const text = JSON.stringify(TESTS);
  const file = (name: string, content: string): FormData => {
    const form = new FormData();
    form.set('tests', new Blob([content], { type: 'application/json' }), name);
    form.set('priority', '8');
    return form;
  };

  it.each<[string, () => Promise<Response>]>([
    ['a file with a byte order mark', () => post(LIST, file('-', `\ufeff${text}`))],
    [
      'a hand-written form',
      () => post(LIST, ...multipart([`name="tests"\r\n\r\n${text}`, 'name=priority\r\n\r\n8'])),
    ],
    ['the query', () => post(`${LIST}?${new URLSearchParams({ tests: text, priority: '8' }).toString()}`)],
  ])('a list of tests travels as %s', async (_how, send) => {
    const { runs, ignored, warnings } = await created(await send());
    expect(runs).toEqual([
      { run_id: expect.any(Number), package: 'hello', suite: 'bookworm', arch: 'amd64' },
    ]);
    expect(ignored).toEqual([
      { index: 1, package: 'Bad', reason: 'invalid-name' },
      { index: 2, package: 'blocked', reason: 'reject-list' },
    ]);
    expect(warnings).toEqual([]);
    expect(await resultOf(runs[0]!.run_id)).toMatchObject({
      trigger: 'glibc/2.40 é',
      priority: 8,
      status: null,
    });
  });

  it('a list of tests wakes the dispatcher of its architecture after the commit', async () => {
    const signal = new Promise<{ body: string; arrivals: unknown }>((resolve) => {
      const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.runsSubmitted, 'arm64'), ({ text: body }) => {
        unsubscribe();
        void api.database.journal.arrivals('arm64', 10).then(({ runs }) => resolve({ body, arrivals: runs }));
      });
    });
    await created(await post('/test/trixie/arm64/hello'));
    expect(await signal).toEqual({
      body: '{"count":1}',
      arrivals: [expect.objectContaining({ package: 'hello', suite: 'trixie' })],
    });
  });
});

describe('a single package', () => {
  const parameters = {
    priority: '9',
    is_private: 'true',
    extra_apt_sources: '["backports","inner"]',
    'pin-packages': '[["src:glibc","trixie"]]',
    trigger: 'a b+c',
    backend: 'qemu',
    autopkgtest: 'newest',
  };
  const form = new FormData();
  Object.entries(parameters).forEach(([name, value]) => form.set(name, value));

  it.each<[string, () => Promise<Response>]>([
    ['the body before the query', () => post(`${LIST}/g++?priority=x&trigger=no`, form)],
    [
      'JSON',
      () =>
        post(
          `${LIST}/g%2B%2B`,
          JSON.stringify({
            ...parameters,
            priority: 9,
            is_private: true,
            extra_apt_sources: ['backports', 'inner'],
            'pin-packages': [['src:glibc', 'trixie']],
          }),
          'application/json',
        ),
    ],
  ])('a single package takes parameters from %s', async (_where, send) => {
    const { runs } = await created(await send());
    expect(await resultOf(runs[0]!.run_id)).toMatchObject({
      package: 'g++',
      priority: 9,
      is_private: true,
      extra_apt_sources: ['backports', 'inner'],
      pin_packages: [['src:glibc', 'trixie']],
      trigger: 'a b+c',
      backend: 'qemu',
      autopkgtest: 'newest',
      reasons: ['no scheduler answers for amd64'],
    });
  });

  it.each([
    ['a%2Fb', 'a/b', 'invalid-name'],
    ['..%2f..', '../..', 'invalid-name'],
  ])('a single package named %s is ignored', async (path, name, reason) => {
    expect(await created(await post(`${LIST}/${path}`))).toEqual({
      runs: [],
      ignored: [{ index: 0, package: name, reason }],
      warnings: [],
    });
  });
});

describe('a dry run', () => {
  interface DryRun extends Pick<Answer, 'ignored' | 'warnings'> {
    dry_run: true;
    runs: { package: string; suite: string; arch: string; doubles: number | null }[];
    waits: { suite: string; arch: string; runs: number; waiting: number; estimate_seconds: number | null }[];
  }
  const BATCH = '/test/batch';
  const dryRun = async (path: string, body?: unknown): Promise<DryRun> => {
    const response = await post(path, body === undefined ? body : JSON.stringify(body), 'application/json');
    const answer = (await response.json()) as DryRun;
    expect([response.status, answer]).toEqual([200, answer]);
    return answer;
  };
  const untouched = async (): Promise<unknown> =>
    ((await (await api.api('/test?since=0')).json()) as { results: unknown }).results;

  it('a dry run agrees with the submission that follows, and writes nothing', async () => {
    const item = fc.record(
      {
        package: fc.constantFrom('agreed', 'agreed-too', 'Bad', 'blocked', 'not-on-arm'),
        trigger: fc.constantFrom('glibc/1', 'glibc/2'),
        'pin-packages': fc.constantFrom([], [['src:glibc', 'trixie']]),
        'extra-apt-sources': fc.constantFrom([], ['backports']),
        backend: fc.constantFrom('qemu', 'unshare'),
        is_private: fc.boolean(),
        priority: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 10 }) }, fc.constant(11)),
        unknown: fc.constant(1),
      },
      { requiredKeys: ['package'] },
    );
    const part = fc.record({
      suite: fc.constantFrom('bookworm', 'trixie'),
      arch: fc.subarray(['amd64', 'arm64'], { minLength: 1 }),
      tests: fc.array(item, { maxLength: 3 }),
    });
    let refusals = 0;
    let doubles = 0;
    const agrees = async (batch: unknown[]): Promise<void> => {
      const body = JSON.stringify(batch);
      const before = await untouched();
      const rehearsal = await post(`${BATCH}?dry_run=true`, body, 'application/json');
      const expected = (await rehearsal.json()) as DryRun & { detail: string };
      expect(await untouched()).toEqual(before);
      const submission = await post(BATCH, body, 'application/json');
      const answer = (await submission.json()) as Answer & { detail: string };
      if (submission.status !== 201) {
        refusals += 1;
        expect([rehearsal.status, expected]).toEqual([400, answer]);
        return;
      }
      const { runs, ignored, warnings } = answer;
      expect({ ...expected, runs: expected.runs.length, waits: expected.waits.length }).toEqual({
        dry_run: true,
        runs: runs.length,
        ignored,
        warnings,
        waits: new Set(runs.map(({ suite, arch }) => `${suite}/${arch}`)).size,
      });
      for (const [place, { run_id: runId, ...run }] of runs.entries()) {
        const { doubles: other, ...same } = expected.runs[place]!;
        expect(same).toEqual(run);
        if (other === null) continue;
        doubles += 1;
        const [one, two] = [await resultOf(other), await resultOf(runId)];
        for (const key of ['package', 'suite', 'arch', 'backend', 'autopkgtest', 'pin_packages'])
          expect(one[key]).toEqual(two[key]);
        expect([one['extra_apt_sources'], one['status']]).toEqual([two['extra_apt_sources'], null]);
      }
      const added = expected.waits.reduce((sum, { runs: count }) => sum + count, 0);
      expect(added).toBe(runs.length);
    };
    const twice = { suite: 'trixie', arch: ['amd64'], tests: [{ package: 'agreed', trigger: 'glibc/1' }] };
    const invalid = { ...twice, tests: [{ package: 'agreed', priority: 11 }] };
    const examples: [unknown[]][] = [
      [[twice]],
      [[{ ...twice, tests: [{ package: 'agreed', trigger: 'glibc/2' }] }]],
      [[invalid]],
    ];
    await fc.assert(fc.asyncProperty<[unknown[]]>(fc.array(part, { maxLength: 2 }), agrees), {
      numRuns: 40,
      examples,
    });
    expect(Math.min(refusals, doubles)).toBeGreaterThan(0);
  });

  it('a dry run may be of a list or a single package, asked for in query, form or JSON', async () => {
    const [first] = (await created(await post(`${LIST}/waits-already`))).runs;
    const expected = [{ package: 'waits-already', suite: 'bookworm', arch: 'amd64', doubles: first!.run_id }];
    expect((await dryRun(`${LIST}/waits-already?dry_run=true`)).runs).toEqual(expected);
    expect((await dryRun(`${LIST}/waits-already`, { dry_run: true, trigger: 'other/1' })).runs).toEqual(
      expected,
    );
    const tests = [{ package: 'waits-already' }];
    expect((await dryRun(LIST, { tests, dry_run: true })).runs).toEqual(expected);
    const form = await post(LIST, new URLSearchParams({ tests: JSON.stringify(tests), dry_run: 'true' }));
    expect(((await form.json()) as DryRun).runs).toEqual(expected);
    const { waits } = await dryRun(`${LIST}?dry_run=true`, tests);
    expect(waits).toEqual([expect.objectContaining({ suite: 'bookworm', arch: 'amd64', runs: 1 })]);
    expect(waits[0]!.waiting).toBeGreaterThan(0);
    expect((await dryRun(`${LIST}/waits-already?dry_run=true&backend=qemu`)).runs[0]!.doubles).toBeNull();
  });

  it('a dry run names no private run of another key', async () => {
    await created(await post(`${LIST}/hidden-double?is_private=true`));
    const own = await dryRun(`${LIST}/hidden-double?dry_run=true`);
    expect(own.runs[0]!.doubles).not.toBeNull();
    const path = `${LIST}/hidden-double?dry_run=true`;
    for (const key of [api.keys.bob, api.keys.aliceSecond]) {
      const other = (await (await api.api(path, { method: 'POST' }, key)).json()) as DryRun;
      expect(other.runs[0]!.doubles).toBeNull();
    }
  });

  it('a dry run leaves an idempotency key to the submission', async () => {
    const headers = { 'Idempotency-Key': 'of a dry run' };
    const send = (query: string): Promise<Response> =>
      api.api(`${LIST}/once-only${query}`, { method: 'POST', headers });
    expect((await send('?dry_run=true')).status).toBe(200);
    expect((await send('?dry_run=true')).status).toBe(200);
    expect((await send('')).status).toBe(201);
  });

  it.each([`${LIST}/hello?dry_run=yes`, `${LIST}?dry_run=1&tests=[]`])(
    'a dry run is wanted or not, and %s says neither',
    async (path) => {
      const response = await post(path);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('dry_run must be true or false'),
      ]);
    },
  );
});
