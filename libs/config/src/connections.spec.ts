import { connections } from './connections';
import { ConfigurationError } from './yaml-file';

const KEYS = { PROCTOR_S3_ACCESS_KEY_ID: 'id', PROCTOR_S3_SECRET_ACCESS_KEY: 'secret' };

it('a setting that is not asked for may be missing', () => {
  expect(connections({ PROCTOR_NATS_CREDENTIALS: '/etc/w1.json' }).natsCredentials).toBe('/etc/w1.json');
  expect(connections(KEYS).storeCredentials).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
});

it.each(Object.keys(KEYS))('%s is named when it is missing or empty, and the other is not shown', (name) => {
  for (const value of [undefined, '']) {
    const readValue = () => connections({ ...KEYS, [name]: value }).storeCredentials;
    expect(readValue).toThrow(ConfigurationError);
    expect(readValue).toThrow(new RegExp(`^(?!.*(\\bid\\b|\\bsecret\\b)).*${name} is not set`, 's'));
  }
});

it.each([
  'postgres://u:p%40ss@db.example:5432/proctor?sslmode=verify-full',
  'postgresql://db.example/proctor',
  'postgres://u:p%40ss@one.example:5432,two.example:5433,[::1]/proctor?sslmode=verify-full',
  'postgres://u:secret@/proctor?host=/run/postgresql',
])('the address of the database may be %s', (url) => {
  expect(connections({ PROCTOR_DATABASE_URL: url }).databaseUrl).toBe(url);
});

it.each([
  'postgres://u:s3/cret@db.example/proctor',
  'postgres://u:s3%cret@db.example/proctor',
  'postgres://u:s3#cret@db.example/proctor',
  'postgres://u:s3cret@db.example:99999/proctor',
  'postgres://u:s3cret@one.example,two.example:99999/proctor',
  'postgres://u:s3cret@one.example,,two.example/proctor',
  'postgres//u:s3cret@db.example/proctor',
  'u:s3cret@db.example/proctor',
  'mysql://u:s3cret@db.example/proctor',
])('an address of the database with a mistake is refused, and not shown: %s', (url) => {
  const readValue = () => connections({ PROCTOR_DATABASE_URL: url }).databaseUrl;
  expect(readValue).toThrow(ConfigurationError);
  expect(readValue).toThrow(/^(?!.*(s3|cret)).*PROCTOR_DATABASE_URL is no postgres:/s);
});
