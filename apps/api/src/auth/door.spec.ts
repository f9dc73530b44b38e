import { proofFor } from './door';

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
])('%s needs %s', (path, proof) => {
  expect(proofFor(path)).toBe(proof);
});
