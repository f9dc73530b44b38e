import type { RunRecord, TriageRuns, TriggerRuns } from '@proctor/database';
import type { ResultStore } from '@proctor/store';
import { apiConfiguration } from '@test/support/api-configuration';
import type { TriggerTest } from '../../runs/trigger-groups';
import { CHANGELOG_MS, TriggerChanges } from './trigger-changes.service';

afterEach(() => jest.useRealTimers());

it('without an answer of the store in time, the page has the versions alone', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const run = {
    runId: 7,
    attempt: 1,
    package: 'glibc',
    version: '2.42-3',
    state: 'finished',
    isPrivate: false,
    cancelled: false,
    extraAptSources: [] as string[],
  } as unknown as RunRecord;
  const openFrom = jest.fn(() => new Promise<never>(() => undefined));
  const changes = new TriggerChanges(
    { whole: (runs: RunRecord[]) => Promise.resolve(runs) } as unknown as TriggerRuns,
    { versionBefore: () => Promise.resolve('2.42-2') } as unknown as TriageRuns,
    { openFrom } as unknown as ResultStore,
    apiConfiguration(),
  );
  const view = changes.view('glibc', '2.42-3', [{ run } as unknown as TriggerTest]);
  while (openFrom.mock.calls.length === 0) await new Promise(setImmediate);
  await jest.advanceTimersByTimeAsync(CHANGELOG_MS);
  expect(await view).toMatchObject({ before: '2.42-2', entries: [] });
});
