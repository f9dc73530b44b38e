import { BrokenOff, DatabaseUnavailable } from '@proctor/database';
import type { OwnRuns, Publications, Requestor } from '@proctor/database';
import type { OrderSignal } from '../dispatchers/order-signal';
import { PublicationService } from './publication.service';
import type { ResultLongPoll } from './result-long-poll';

it('a publication by pages that breaks off after the first key tells what is published, and who waits is told', async () => {
  const told: string[] = [];
  const publications = {
    publish: (_runIds: number[], keyId: number) =>
      keyId === 1 ? Promise.resolve([5]) : Promise.reject(new DatabaseUnavailable('away')),
  } as unknown as Publications;
  const service = new PublicationService(
    publications,
    { keysOf: () => Promise.resolve([1, 2]) } as unknown as OwnRuns,
    { notify: () => told.push('pollers') } as unknown as ResultLongPoll,
    { send: () => told.push('dispatchers') } as unknown as OrderSignal,
  );
  const published = service.publish([5, 6], { keyId: 1, userId: 1, isOnPages: true } as Requestor);
  await expect(published).rejects.toThrow(BrokenOff);
  await expect(published).rejects.toMatchObject({ done: [5] });
  expect(told).toEqual(['pollers', 'dispatchers']);
});
