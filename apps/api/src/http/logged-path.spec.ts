import { randomBytes } from 'node:crypto';
import { loggedPath } from './logged-path';

const TOKEN = 'aB3-xY9_kLmN0pQrStUvWxYz12345678';
const KEY = `pk_${randomBytes(28).toString('hex')}`;

it.each([
  `/data/followed/${TOKEN}.xml`,
  `/data/followed/${TOKEN}.xml/`,
  '/data/followed/short.xml',
  `/data/Followed/${TOKEN}`,
  `/data/followed%2F${TOKEN}.xml`,
  `/data/%66ollowed/${TOKEN}.xml`,
  `/data/followed/${TOKEN.replace('a', '%61')}.xml`,
  `/mail/confirm/${TOKEN}`,
  '/mail/unsubscribe/short',
  `/data/follow/${TOKEN}.xml`,
  `/ci/data/followed/${TOKEN}.xml`,
  `/api/v1/auth/${KEY}`,
  `/api/v1/test?key=${KEY}`,
  `/auth/callback?code=${TOKEN}&state=${TOKEN}`,
  `http://alice:${TOKEN}@ci.example.org/`,
  'http://alice:short@ci.example.org/',
  `/x#${TOKEN}`,
])('no secret of %s is in the log', (path) => {
  const logged = loggedPath(path);
  for (const secret of [TOKEN, TOKEN.slice(1), KEY, 'short']) expect(logged).not.toContain(secret);
  expect(logged).toMatch(/^(\/|http:)/);
});

it.each([
  '/api/v1/test/bookworm/amd64/golang-github-azure-azure-sdk-for-go-sdk-data-azappconfig',
  '/packages/libf/libfoo1.2/sid/amd64/12345/',
  '/data/autopkgtest/sid/amd64/h/hello/1/log.gz',
  '/api/v1/test/%zz',
])('what is no secret stays: %s', (path) => expect(loggedPath(path)).toBe(path));

it('a long path is cut', () => expect(loggedPath(`/${'a/'.repeat(5_000)}`)).toHaveLength(300));
