import { Logger } from '@nestjs/common';
import { DatabaseUnavailable } from '@proctor/database';
import type { ApiKeys, Requestor } from '@proctor/database';
import type { ExecutionContext } from '@nestjs/common';
import { firstValueFrom, from } from 'rxjs';
import type { DispatcherClient } from './dispatchers/dispatcher-client';
import { HealthController, HealthStatusInterceptor } from './health.controller';

const CONFIGURATION = { loadedAt: new Date(0), problems: ['proctor.yaml:1: suits'], needsRestart: [] };

/** Status and body for a request with this key. */
async function healthFor(key: string, isBusConnected = true, databaseFailure?: Error) {
  const authenticate = (given: string) => {
    if (databaseFailure) return Promise.reject(databaseFailure);
    const isKnown = given === 'admin' || given === 'user';
    return Promise.resolve(isKnown ? ({ isAdmin: given === 'admin' } as Requestor) : null);
  };
  const controller = new HealthController(
    { authenticate } as unknown as ApiKeys,
    { isConnected: () => isBusConnected } as DispatcherClient,
    () => CONFIGURATION,
  );
  const answer: { status?: number } = {};
  const response = { status: (status: number) => (answer.status = status) };
  const context = { switchToHttp: () => ({ getResponse: () => response }) } as unknown as ExecutionContext;
  const handle = () => from(controller.check(key));
  const body = await firstValueFrom(new HealthStatusInterceptor().intercept(context, { handle }));
  return { ...answer, body };
}

const WELL = { database: true, bus: true };

beforeAll(() => Logger.overrideLogger(false));

it('only administrators are told about the configuration', async () => {
  expect(await healthFor('admin')).toEqual({ status: 200, body: { ...WELL, configuration: CONFIGURATION } });
  expect(await healthFor('user')).toEqual({ status: 200, body: WELL });
  expect(await healthFor('wrong')).toEqual({ status: 200, body: WELL });
  expect(await healthFor('')).toEqual({ status: 200, body: WELL });
});

it('the health is a 503 when the bus or the database is out of reach', async () => {
  expect(await healthFor('', false)).toEqual({ status: 503, body: { database: true, bus: false } });
  const away = new DatabaseUnavailable('away');
  expect(await healthFor('admin', true, away)).toEqual({ status: 503, body: { database: false, bus: true } });
  await expect(healthFor('', true, new Error('a bug'))).rejects.toThrow('a bug');
});
