import { BadCredentials, newCredentials, parseCredentials, publicKeyOf } from './credentials';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

function problem(change: object): string {
  const { credentials } = newCredentials('w1', 'nats://127.0.0.1:4222');
  try {
    parseCredentials(JSON.stringify({ ...credentials, ...change }), '/etc/w1.json');
  } catch (error) {
    expect(error).toBeInstanceOf(BadCredentials);
    return (error as Error).message;
  }
  throw new Error('the credentials were taken');
}

it('credentials that are made can be read, and name a user of their own', () => {
  const { credentials, publicKey } = newCredentials('w1', 'nats://127.0.0.1:4222');
  expect(parseCredentials(JSON.stringify(credentials), 'file')).toEqual(credentials);
  expect(publicKeyOf(credentials)).toBe(publicKey);
  expect(publicKey).toMatch(/^U[A-Z2-7]{55}$/);
  expect(newCredentials('w1', 'nats://127.0.0.1:4222').publicKey).not.toBe(publicKey);
});

it('an encrypted address is trusted with a certificate only', () => {
  expect(newCredentials('w1', 'tls://nats.example.org:4222', CERTIFICATE).credentials.ca).toBe(CERTIFICATE);
  expect(problem({ url: 'tls://nats.example.org:4222' })).toContain('/etc/w1.json: ca: missing');
  expect(problem({ url: 'tls://nats.example.org:4222', ca: 'mine' })).toContain('ca');
  expect(problem({ ca: CERTIFICATE })).toContain('ca: nats://127.0.0.1:4222 is not encrypted');
  expect(problem({ url: 'tls://a:1,nats://b:1', ca: CERTIFICATE })).toContain('mixes nats:// and tls://');
});

it.each([
  ['url', 'nats://user:password@127.0.0.1:4222'],
  ['url', 'http://127.0.0.1:4222'],
  ['name', 'a.b'],
  ['seed', 7],
])('a refusal of credentials names the field %s with the value %j', (field, value) => {
  expect(problem({ [field]: value })).toMatch(new RegExp(`^/etc/w1.json: .*${field}`));
});

it('no error about credentials shows their seed', () => {
  const { seed } = newCredentials('w1', 'nats://127.0.0.1:4222').credentials;
  const messages = [
    problem({ seed: seed.slice(0, -1) }),
    problem({ seed: `${seed}A` }),
    problem({ seed, url: 'x' }),
  ];
  expect(() => parseCredentials(`{"seed": "${seed}",`, 'file')).toThrow('file: not JSON');
  for (const text of messages) expect(text).not.toContain(seed.slice(0, 10));
});
