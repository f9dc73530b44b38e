import { BrokenOff, DatabaseUnavailable } from '@proctor/database';
import type { OwnRuns, Publications, Requestor } from '@proctor/database';
import type { OrderSignal } from '../dispatchers/order-signal';
import { PublicationService } from './publication.service';
import type { ResultLongPoll } from './result-long-poll';

it('a publication by pages that breaks off after the first key says what is published, and notifies those who wait', async () => {
  const notices: string[] = [];
  const publications = {
    publish: (_runIds: number[], keyId: number) =>
      keyId === 1 ? Promise.resolve([5]) : Promise.reject(new DatabaseUnavailable('away')),
  } as unknown as Publications;
  const service = new PublicationService(
    publications,
    { keysOf: () => Promise.resolve([1, 2]) } as unknown as OwnRuns,
    { notify: () => notices.push('pollers') } as unknown as ResultLongPoll,
    { send: () => notices.push('dispatchers') } as unknown as OrderSignal,
  );
  const published = service.publish([5, 6], { keyId: 1, userId: 1, isOnPages: true } as Requestor);
  await expect(published).rejects.toThrow(BrokenOff);
  await expect(published).rejects.toMatchObject({ changedIds: [5] });
  expect(notices).toEqual(['pollers', 'dispatchers']);
});
