import { KeyRefused } from '@proctor/database';
import type { KeyHolder } from '@proctor/database';
import type { Response } from 'express';
import type { AnonymousPlaces } from '../http/anonymous-places';
import type { AnonymousRateLimit, KnownRateLimit } from '../http/rate-limit';
import type { ContextRequest } from '../http/request-context';
import type { BrowserSessions } from '../sessions/browser-sessions';
import { KeyCheck } from './key-check';
import type { RememberedKeys } from './remembered-keys';

it('a request that has waited counts once, and is refused when its key was revoked meanwhile', async () => {
  const holder = { keyId: 7, userName: 'ada', scope: 'everything', expiresAt: null, validMs: null };
  const authenticate = jest.fn(() => Promise.resolve(holder as KeyHolder));
  const count = jest.fn();
  const check = new KeyCheck(
    { authenticate } as unknown as RememberedKeys,
    { count } as unknown as KnownRateLimit,
    { count: jest.fn() } as unknown as AnonymousRateLimit,
    {} as AnonymousPlaces,
    {} as BrowserSessions,
  );
  const request = { method: 'GET', url: '/api/v1/test', originalUrl: '/api/v1/test', get: () => 'pk_x' };
  const parameters = [
    request as unknown as ContextRequest,
    { setHeader: jest.fn() } as unknown as Response,
  ] as const;
  await check.requestorOf(...parameters);
  expect(await check.requestorAfterWait(...parameters)).toMatchObject({ keyId: 7, userName: 'ada' });
  expect(count.mock.calls).toEqual([['key 7']]);
  authenticate.mockRejectedValueOnce(new KeyRefused('This API key has expired.'));
  await expect(check.requestorAfterWait(...parameters)).rejects.toMatchObject({ status: 403 });
});
