import { connections } from './connections';
import { ConfigurationError } from './yaml-file';

const KEYS = { PROCTOR_S3_ACCESS_KEY_ID: 'id', PROCTOR_S3_SECRET_ACCESS_KEY: 'secret' };

test('what is not asked for may be missing', () => {
  expect(connections({ PROCTOR_NATS_CREDENTIALS: '/etc/w1.json' }).natsCredentials).toBe('/etc/w1.json');
  expect(connections(KEYS).storeCredentials).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
});

test.each(Object.keys(KEYS))('%s is named when it is missing or empty, and the other is not told', (name) => {
  for (const value of [undefined, '']) {
    const read = () => connections({ ...KEYS, [name]: value }).storeCredentials;
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(new RegExp(`^(?!.*(\\bid\\b|\\bsecret\\b)).*${name} is not set`, 's'));
  }
});
