import { baseUrl } from './paths';
import type { Request } from 'express';

const asking = (host?: string) => ({ protocol: 'http', get: () => host }) as unknown as Request;

it.each([
  ['127.0.0.1:8080', undefined, 'http://127.0.0.1:8080'],
  ['ci.example', undefined, 'http://ci.example'],
  [undefined, undefined, 'http://localhost'],
  ['ci.example/path?x', undefined, 'http://ci.example'],
  ['inner:8080', 'https://ci.example', 'https://ci.example'],
  ['not a host', 'https://ci.example/proctor', 'https://ci.example/proctor'],
])('the base address for the Host %s with the public address %s is %s', (host, publicUrl, url) => {
  expect(baseUrl(asking(host), publicUrl)).toBe(url);
});

it('a base address needs a host', () => {
  expect(() => baseUrl(asking('a b<'), undefined)).toThrow('names no host');
});
