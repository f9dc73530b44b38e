import { RequestMethod } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { apiConfiguration, SETTINGS } from '../../../../test/support/api-configuration';
import { ApiModule } from '../api.module';
import { CREDENTIAL, credentialFor } from './authentication.middleware';

it.each([
  ['/api/v1/openapi.json', 'nothing'],
  ['/api/v1/openapi.json/', 'nothing'],
  ['/', 'nothing'],
  ['/api/doc', 'nothing'],
  ['/api/v10', 'nothing'],
  ['/data/api/v1/auth', 'nothing'],
  ['/api/v1/keys', 'password'],
  ['/api/v1/keys/', 'password'],
  ['/api/v1/keys/3', 'password'],
  ['/api/v1/keys/3/rotate', 'password'],
  ['/api/v1/keys/no/such/thing', 'password'],
  ['/api/v1', 'key'],
  ['/api/v1/', 'key'],
  ['/api/v1/auth', 'key'],
  ['/api/v1/keysx', 'key'],
  ['/api/v1/KEYS', 'key'],
  ['/api/v1/%6beys', 'key'],
  ['/api/v1/test/keys', 'key'],
  ['/api/v1/openapi.json/x', 'key'],
  ['/api/v1/openapi.jsonx', 'key'],
])('the path %s needs %s', (path, credential) => {
  expect(credentialFor(path)).toBe(credential);
});

const controllers = (ApiModule.forRoot(apiConfiguration(), () => SETTINGS).controllers ??
  []) as Type<object>[];

/** `GET /api/v1/test/x` for each handler of a controller. */
function routesOf(controller: Type<object>): string[] {
  const properties = Object.getOwnPropertyDescriptors(controller.prototype as object);
  const handlers = Object.values(properties).map(({ value }) => value as object);
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return handlers
    .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
    .map((handler) => {
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      const path = `/${base}/${Reflect.getMetadata(PATH_METADATA, handler) as string}`.replace(/\/+/g, '/');
      return `${method} ${path.replace(/:\w+/g, 'x')}`;
    });
}

const routes = controllers.flatMap((controller) =>
  routesOf(controller).map((route): [string, string, Type<object>] => [route, controller.name, controller]),
);

it('the routes of all controllers are known', () => {
  expect(controllers.filter((controller) => routesOf(controller).length === 0)).toEqual([]);
  expect(routes.map(([route]) => route)).toEqual(
    expect.arrayContaining(['POST /api/v1/test/x/x/x', 'GET /', 'DELETE /api/v1/keys/x', 'GET /health/']),
  );
});

it.each(routes)('the route %s needs the credential that %s tells', (route, _name, controller) => {
  const told: unknown = Reflect.getMetadata(CREDENTIAL, controller);
  expect(told).toBe(credentialFor(route.split(' ')[1]!));
});
