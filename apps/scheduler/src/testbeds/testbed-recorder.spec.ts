import { Readable } from 'node:stream';
import type { StoredTestbed, RunTestbeds } from '@proctor/database';
import { StoreUnavailable } from '@proctor/store';
import { packageLines, packedArtifacts } from '@test/support/artifacts';
import { finishedRunRecord } from '@test/support/run-record';
import { silenceLog } from '@test/support/silent-log';
import { TestbedRecorder } from './testbed-recorder';

silenceLog();

const files = new Map<string, Buffer>();
const find = jest.fn();
const testbeds = {
  saveTestbed: jest.fn(() => Promise.resolve()),
  of: jest.fn(() => Promise.resolve(new Map<number, StoredTestbed>())),
  passJustBefore: jest.fn<Promise<ReturnType<typeof finishedRunRecord> | null>, unknown[]>(),
  saveChanges: jest.fn(() => Promise.resolve()),
} satisfies Partial<Record<keyof RunTestbeds, jest.Mock>>;
const openFrom = jest.fn((runId: number, _attempt: number, name: string, start?: number) => {
  const content = files.get(`${runId}/${name}`);
  return Promise.resolve(
    content ? { size: content.length, content: Readable.from([content.subarray(start ?? 0)]) } : null,
  );
});

async function store(runId: number, packages: Record<string, string>): Promise<void> {
  const { archive, index } = await packedArtifacts({ 'testbed-packages': packageLines(packages) });
  files.set(`${runId}/artifacts.tar.gz`, archive).set(`${runId}/artifacts-index.json`, index);
}

const CONFIGURED = { server: { indexReadMs: 10_000 } } as never;

async function keep(run: Partial<ReturnType<typeof finishedRunRecord>>): Promise<void> {
  find.mockResolvedValue(finishedRunRecord({ runId: 2, attempt: 1, ...run }));
  const keeper = new TestbedRecorder({ openFrom } as never, { find } as never, testbeds as never, CONFIGURED);
  keeper.add({ runId: 2, attempt: 1 });
  await keeper.waitUntilIdle();
}

beforeEach(() => {
  jest.clearAllMocks();
  files.clear();
  testbeds.passJustBefore.mockResolvedValue(null);
});

it('what a run was executed in is kept once its result is recorded', async () => {
  await store(2, { bash: '5' });
  await keep({ verdict: 'pass' });
  const packages = { testbed: new Map([['bash', '5']]), added: new Map(), suites: new Map() };
  const storedTestbed = { packages, kernel: null, withoutInitLine: null, fallback: null, tests: [] };
  expect(testbeds.saveTestbed).toHaveBeenCalledWith(expect.objectContaining({ runId: 2 }), storedTestbed, {
    versions: [],
    suites: [],
  });
  expect(testbeds.saveChanges).not.toHaveBeenCalled();
});

it('packages of the trigger that were installed in another version are saved with what the run was executed in', async () => {
  await store(2, { bash: '5', perl: '5.38' });
  await keep({ verdict: 'pass', trigger: 'perl/5.40 bash/5' });
  expect(testbeds.saveTestbed).toHaveBeenCalledWith(
    expect.objectContaining({ runId: 2 }),
    expect.anything(),
    {
      versions: [{ package: 'perl', wanted: '5.40', installed: '5.38' }],
      suites: [],
    },
  );
});

it.each([
  ['is tried again', { state: 'queued' }],
  ['was ended by a later attempt', { attempt: 2 }],
] as const)('nothing is kept of an attempt whose run %s', async (_, run) => {
  await keep(run);
  expect(testbeds.saveTestbed).not.toHaveBeenCalled();
});

it('what changed since the pass just before a failure is kept, by package and by the source of the trigger', async () => {
  testbeds.passJustBefore.mockResolvedValue(finishedRunRecord({ runId: 1, attempt: 1 }));
  await store(1, { bash: '5', libc6: '2.40-3', gone: '1' });
  await store(2, { bash: '5', libc6: '2.40-4' });
  await keep({ verdict: 'fail', trigger: 'glibc/2.40-4 other/7' });
  expect(testbeds.saveChanges).toHaveBeenCalledWith(2, 1, [
    { package: 'glibc', from: '2.40-3', to: '2.40-4' },
    { package: 'gone', from: '1', to: '' },
    { package: 'libc6', from: '2.40-3', to: '2.40-4' },
  ]);
});

it('a store that is away keeps no later result from being kept', async () => {
  openFrom.mockRejectedValueOnce(new StoreUnavailable('the store', new Error('away')));
  await keep({});
  expect(testbeds.saveTestbed).not.toHaveBeenCalled();
  await keep({});
  expect(testbeds.saveTestbed).toHaveBeenCalledTimes(1);
});

it('nothing is read or written of a result that is recorded once the process ends', async () => {
  const keeper = new TestbedRecorder({ openFrom } as never, { find } as never, testbeds as never, CONFIGURED);
  await keeper.onModuleDestroy();
  keeper.add({ runId: 2, attempt: 1 });
  await keeper.waitUntilIdle();
  expect(find).not.toHaveBeenCalled();
});
