import { Seal } from './sealing';

const sealing = { word: 'word', fingerprint: 'f', password: 'secret' };

it('a seal is opened by the same password and word alone', async () => {
  const closed = (await Seal.of(sealing, 'alice')).close('the answer €');
  expect(closed).not.toContain('answer');
  expect((await Seal.of(sealing, 'alice')).open(closed)).toBe('the answer €');
  for (const [record, user] of [
    [{ ...sealing, password: 'other' }, 'alice'],
    [{ ...sealing, word: 'other' }, 'alice'],
    [sealing, 'bob'],
  ] as const) {
    expect((await Seal.of(record, user)).open(closed)).toBeNull();
  }
  const bytes = Buffer.from(closed, 'base64');
  bytes[bytes.length - 1]! ^= 1;
  expect((await Seal.of(sealing, 'alice')).open(bytes.toString('base64'))).toBeNull();
});
