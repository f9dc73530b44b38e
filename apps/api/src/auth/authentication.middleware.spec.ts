import type { Type } from '@nestjs/common';
import { controllersOfApi, routesOf } from '@test/support/routes';
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

const controllers = controllersOfApi();

/** `GET /api/v1/test/x` for each handler of a controller. */
function shownRoutesOf(controller: Type<object>): string[] {
  return routesOf(controller).map(({ method, path }) => `${method} ${path.replace(/:\w+/g, 'x')}`);
}

const routes = controllers.flatMap((controller) =>
  shownRoutesOf(controller).map((route): [string, string, Type<object>] => [
    route,
    controller.name,
    controller,
  ]),
);

it('the routes of all controllers are known', () => {
  expect(controllers.filter((controller) => routesOf(controller).length === 0)).toEqual([]);
  expect(routes.map(([route]) => route)).toEqual(
    expect.arrayContaining(['POST /api/v1/test/x/x/x', 'GET /', 'DELETE /api/v1/keys/x', 'GET /health/']),
  );
});

it.each(routes)('the route %s needs the credential that %s states', (route, _name, controller) => {
  const credential: unknown = Reflect.getMetadata(CREDENTIAL, controller);
  expect(credential).toBe(credentialFor(route.split(' ')[1]!));
});
