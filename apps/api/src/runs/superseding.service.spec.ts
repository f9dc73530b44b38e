import { DatabaseUnavailable } from '@proctor/database';
import { apiConfiguration } from '@test/support/api-configuration';
import { silenceLog } from '@test/support/silent-log';
import { SupersedingService } from './superseding.service';

silenceLog();

const RULE = { suite: 'trixie', running: false, acrossUsers: false };
const run = (runId: number, suite: string, arch = 'amd64') => ({ run_id: runId, suite, arch });

function service(apply: () => Promise<number>) {
  const store = { apply: jest.fn(apply) };
  const signal = { send: jest.fn() };
  const longPoll = { notify: jest.fn() };
  const configuration = apiConfiguration({ supersede: [RULE] });
  const parts = [store, signal, longPoll, configuration] as never as ConstructorParameters<
    typeof SupersedingService
  >;
  return { superseding: new SupersedingService(...parts), store, signal, longPoll };
}

it('only new runs of suites with a rule are looked at, and each architecture gets one signal', async () => {
  const { superseding, store, signal, longPoll } = service(() => Promise.resolve(2));
  await superseding.endOlder([
    run(1, 'bookworm'),
    run(2, 'trixie'),
    run(3, 'trixie'),
    run(4, 'trixie', 'arm64'),
  ]);
  expect(store.apply.mock.calls).toEqual([[[2, 3, 4], [RULE]]]);
  expect(signal.send.mock.calls).toEqual([['amd64'], ['arm64']]);
  expect(longPoll.notify).toHaveBeenCalledTimes(1);
});

it('nothing happens where no suite has a rule, or nothing is superseded', async () => {
  const { superseding, store, signal } = service(() => Promise.resolve(0));
  await superseding.endOlder([run(1, 'bookworm')]);
  expect(store.apply).not.toHaveBeenCalled();
  await superseding.endOlder([run(2, 'trixie')]);
  expect(signal.send).not.toHaveBeenCalled();
});

it('a database that fails refuses no request, and what ended before is announced; other errors are thrown', async () => {
  const { superseding, signal } = service(() => Promise.reject(new DatabaseUnavailable('gone')));
  await superseding.endOlder([run(1, 'trixie')]);
  expect(signal.send).toHaveBeenCalledTimes(1);
  const broken = service(() => Promise.reject(new Error('a mistake')));
  await expect(broken.superseding.endOlder([run(1, 'trixie')])).rejects.toThrow('a mistake');
});
