import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';

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
    const heard = new Promise<{ body: string; arrivals: unknown }>((resolve) => {
      const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.runsSubmitted, 'arm64'), ({ text: body }) => {
        unsubscribe();
        void api.database.journal.arrivals('arm64', 10).then(({ runs }) => resolve({ body, arrivals: runs }));
      });
    });
    await created(await post('/test/trixie/arm64/hello'));
    expect(await heard).toEqual({
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
