import { openStore } from './open-store';

const SETTINGS = {
  kind: 's3',
  bucket: 'results',
  prefix: '',
  region: 'us-east-1',
  endpoint: 'http://127.0.0.1:9000',
  pathStyle: true,
  partBytes: 8 * 1024 ** 2,
  connectionsMax: 4,
  connectTimeoutMs: 1_000,
  answerTimeoutMs: 1_000,
  idleTimeoutMs: 1_000,
  answerBytesMax: 1_048_576,
} as const;

it('what the environment says of AWS has no say in a store', async () => {
  const before = { ...process.env };
  const ambient = {
    AWS_PROFILE: 'x',
    AWS_ENDPOINT_URL_S3: 'http://elsewhere',
    AWS_USE_FIPS_ENDPOINT: 'true',
  };
  Object.assign(process.env, ambient, { AWS_CONFIG_FILE: '/home/ada/.aws/config' });
  try {
    const store = await openStore(SETTINGS, () => ({ accessKeyId: 'a', secretAccessKey: 'b' }));
    store.close();
    expect(Object.keys(process.env).filter((name) => name in ambient)).toEqual([]);
    const { AWS_CONFIG_FILE: configuration, AWS_SHARED_CREDENTIALS_FILE: credentials } = process.env;
    expect([configuration, credentials]).toEqual(['/dev/null', '/dev/null']);
  } finally {
    process.env = before;
  }
});
