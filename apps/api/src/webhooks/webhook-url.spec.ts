import { addressesIn, hostAndPort, whyNoWebhook } from './webhook-url';

const OWN = () => new Set(['ci.example.org:443', 'db.example.org:5432']);

it.each([
  ['https://hooks.example.org/x?y=1', null],
  ['https://hooks.example.org:8443/', null],
  ['http://hooks.example.org/', 'it does not begin with https://'],
  ['ftp://hooks.example.org/', 'it does not begin with https://'],
  ['javascript:alert(1)', 'it does not begin with https://'],
  ['https://me:pw@hooks.example.org/', 'it holds a user or a password'],
  ['https://me@hooks.example.org/', 'it holds a user or a password'],
  ['https://hooks.example.org/#x', 'it has a fragment'],
  ['hooks.example.org', 'it is no address'],
  ['https://', 'it is no address'],
  ['https://hooks.example.org\\@evil/', 'it is no address'],
  ['https://ci.example.org/api', 'it is of this service itself'],
  ['https://CI.example.org.:443/', 'it is of this service itself'],
  ['https://db.example.org:5432/', 'it is of this service itself'],
  [`https://hooks.example.org/${'a'.repeat(1_000)}`, 'it has more than 1000 characters'],
])('whether events may be sent to %s: %s', (url, why) => {
  expect(whyNoWebhook(url, false, OWN)).toBe(why);
});

it('http is for deployments that allow it', () => {
  expect(whyNoWebhook('http://hooks.example.org/', true, OWN)).toBeNull();
  expect(whyNoWebhook('ftp://hooks.example.org/', true, OWN)).toBe(
    'it begins with neither https:// nor http://',
  );
});

it.each([
  ['https://a.example', 'a.example:443'],
  ['http://A.example.:8080/x', 'a.example:8080'],
  ['postgres://u:p@db/x', 'db:5432'],
])('the host and port of %s are %s', (url, expected) => {
  expect(hostAndPort(url)).toBe(expected);
});

it.each([
  ['postgres://u:p,w@one.example,two.example:5433/proctor?x=y', ['one.example:5432', 'two.example:5433']],
  ['nats://a.example:4222,nats://b.example', ['a.example:4222', 'b.example:4222']],
  ['tls://a.example,b.example:4333', ['a.example:4222', 'b.example:4333']],
  ['https://ci.example.org/', ['ci.example.org:443']],
  ['no address', []],
])('the servers of %s are %j', (urls, servers) => {
  expect(addressesIn(urls)).toEqual(servers);
});
