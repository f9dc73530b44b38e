import { Logger } from '@nestjs/common';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { silenceLog } from '@test/support/silent-log';
import { RetryLater, RemoteError } from './bus';
import { BusStrategy } from './bus-strategy';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';

silenceLog();
afterEach(() => jest.restoreAllMocks());

it('requests that cannot be handled now are logged once, and each failure of another kind with its trace', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  const broker = new MemoryBroker();
  const [client, bus] = [new MemoryBus(broker), new MemoryBus(broker)];
  const strategy = new BusStrategy(bus);
  let failure: Error = new RetryLater('this scheduler does not own amd64');
  strategy.addHandler(SUBJECTS.status, () => Promise.reject(failure));
  await strategy.serve('amd64');
  const subject = subjectOf(SUBJECTS.status, 'amd64');
  const ask = () => client.request(subject, {}, 2_000);
  for (let time = 0; time < 5; time += 1)
    await expect(ask()).rejects.toThrow(new RemoteError(failure.message));
  expect(warned.mock.calls).toEqual([[`${subject}: not now, it is tried again: ${failure.message}`]]);
  expect(errors).not.toHaveBeenCalled();
  failure = new Error('a mistake of ours');
  await expect(ask()).rejects.toThrow('a mistake of ours');
  expect(errors).toHaveBeenCalledWith(`${subject} failed`, failure.stack);
  await strategy.close();
  await Promise.all([client.close(), bus.close()]);
});
