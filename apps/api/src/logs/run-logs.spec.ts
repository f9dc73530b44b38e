import type { AttemptRecord, Results } from '@proctor/database';
import type { DispatcherClient } from '../dispatchers/dispatcher-client';
import type { Indexes } from './indexes';
import { RunLogs, SO_FAR_TIMEOUT_MS } from './run-logs';

afterEach(() => jest.restoreAllMocks());

it('what a live log has is read for so long, and the page has what was read until then', async () => {
  const late = new AbortController();
  const limit = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const chunk = { chunk: 0, offset: 0, data: Buffer.from('a\nb').toString('base64') };
  const logSoFar = async function* (_worker: unknown, _grant: unknown, signal: AbortSignal) {
    yield await Promise.resolve(chunk);
    late.abort();
    // As the bus does: the end of the time is the end of the part.
    if (!signal.aborted) throw new Error('the time has no limit');
  };
  const logs = new RunLogs(
    {} as Results,
    { errors: /error/ } as Indexes,
    { logSoFar } as unknown as DispatcherClient,
  );
  const { log, isReached } = await logs.liveLog(1, { attempt: 1, worker: 'w' } as AttemptRecord);
  expect([log.index.lines, isReached]).toEqual([2, true]);
  expect(limit).toHaveBeenCalledWith(SO_FAR_TIMEOUT_MS);
});
