import { Webhook } from 'standardwebhooks';
import { newSecret, signatures } from '.';

const BODY = '{"kind":"finished","package":"hello"}';

function headers(secrets: string[], seconds = Math.floor(Date.now() / 1_000)) {
  const id = 'evt_7.4';
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures(secrets, id, seconds, BODY),
  };
}

it('the library of Standard Webhooks verifies what is signed, also with the old secret while a new one is brought in', () => {
  const [old, fresh] = [newSecret(), newSecret()];
  const signed = headers([fresh, old]);
  for (const secret of [old, fresh])
    expect(new Webhook(secret).verify(BODY, signed)).toEqual(JSON.parse(BODY));
});

it('the library of Standard Webhooks refuses another secret, another body, another id and an old time', () => {
  const secret = newSecret();
  const signed = headers([secret]);
  const verify =
    (body: string, signatureHeaders: Record<string, string>, by = secret) =>
    () =>
      new Webhook(by).verify(body, signatureHeaders);
  expect(verify(BODY, signed)).not.toThrow();
  expect(verify(BODY, signed, newSecret())).toThrow('signature');
  expect(verify(`${BODY} `, signed)).toThrow('signature');
  expect(verify(BODY, { ...signed, 'webhook-id': 'evt_7.5' })).toThrow('signature');
  expect(verify(BODY, headers([secret], 1_000_000))).toThrow('too old');
});

it('a secret has 32 random bytes and says what it is', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(newSecret());
});
