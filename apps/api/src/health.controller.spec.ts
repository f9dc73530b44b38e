import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, KeyRefused } from '@proctor/database';
import { VERSION } from '@proctor/process';
import type { ApiKeys, Requestor } from '@proctor/database';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, from } from 'rxjs';
import type { DispatcherClient } from './dispatchers/dispatcher-client';
import { HealthController, HealthStatusInterceptor } from './health.controller';
import type { Leaving } from './http/leaving';
import { ApiHealth } from './monitoring/api-health';

const CONFIGURATION = { loadedAt: new Date(0), problems: ['proctor.yaml:1: suits'], needsRestart: [] };

/** Status and body for a request with this key. */
async function healthFor(key: string, isBusConnected = true, databaseFailure?: Error, isBegun = false) {
  const authenticate = (apiKey: string) => {
    if (databaseFailure) return Promise.reject(databaseFailure);
    if (apiKey === 'expired') return Promise.reject(new KeyRefused('This API key has expired.'));
    const isKnown = apiKey === 'admin' || apiKey === 'user';
    return Promise.resolve(isKnown ? ({ isAdmin: apiKey === 'admin' } as Requestor) : null);
  };
  const dispatchers = { isConnected: () => isBusConnected } as DispatcherClient;
  const health = new ApiHealth({ authenticate } as unknown as ApiKeys, dispatchers, { isBegun } as Leaving);
  const controller = new HealthController(health, () => CONFIGURATION, {
    lastRestore: () => Promise.resolve(null),
  });
  const answer: { status?: number } = {};
  const response = { status: (status: number) => (answer.status = status) };
  const context = { switchToHttp: () => ({ getResponse: () => response }) } as unknown as ExecutionContext;
  const handle = () => from(controller.check(key));
  const body = await firstValueFrom(new HealthStatusInterceptor().intercept(context, { handle }));
  return { ...answer, body };
}

const WELL = { version: VERSION, ready: true, database: true, bus: true, reasons: [] };

beforeAll(() => Logger.overrideLogger(false));

it('only administrators see the configuration', async () => {
  expect(await healthFor('admin')).toEqual({ status: 200, body: { ...WELL, configuration: CONFIGURATION } });
  expect(await healthFor('user')).toEqual({ status: 200, body: WELL });
  expect(await healthFor('wrong')).toEqual({ status: 200, body: WELL });
  expect(await healthFor('expired')).toEqual({ status: 200, body: WELL });
  expect(await healthFor('')).toEqual({ status: 200, body: WELL });
});

it('the health is a 503 when the bus or the database is out of reach', async () => {
  const ill = { ...WELL, ready: false };
  expect(await healthFor('', false)).toEqual({
    status: 503,
    body: { ...ill, bus: false, reasons: ['there is no connection to NATS'] },
  });
  const away = new DatabaseUnavailable('away');
  expect(await healthFor('admin', true, away)).toEqual({
    status: 503,
    body: { ...ill, database: false, reasons: ['the database does not answer'] },
  });
  await expect(healthFor('', true, new Error('a bug'))).rejects.toThrow('a bug');
});

it('the health is a 503 once the process is about to end', async () => {
  const body = { ...WELL, ready: false, reasons: ['this process is about to end'] };
  expect(await healthFor('', true, undefined, true)).toEqual({ status: 503, body });
});
