import { apiConfiguration } from '@test/support/api-configuration';
import { Problem } from '../http/problem';
import { GuessLimit } from './guess-limit';

const limitOf = (passwordGuessesPerHourMax: number): GuessLimit =>
  new GuessLimit(apiConfiguration({ passwordGuessesPerHourMax }));

const wrong = (): Promise<null> => Promise.resolve(null);
const right = (): Promise<string> => Promise.resolve('user');

async function guess(
  limit: GuessLimit,
  check: () => Promise<string | null>,
  name = 'alice',
  address = '192.0.2.1',
): Promise<string | null> {
  return limit.withinLimit(name, address, check).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 429) return 'refused';
    throw error;
  });
}

describe('GuessLimit', () => {
  it('guesses are limited for a user from an address, also for the right password then', async () => {
    const limit = limitOf(3);
    for (let count = 0; count < 3; count += 1) expect(await guess(limit, wrong)).toBeNull();
    expect(await guess(limit, right)).toBe('refused');
    expect(await guess(limit, right, 'bob')).toBe('user');
    expect(await guess(limit, right, 'alice', '192.0.2.2')).toBe('user');
  });

  it('guesses at the same time do not get round the limit', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => guess(limitOfOne, wrong)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
  });
  const limitOfOne = limitOf(1);

  it('guesses are forgotten after the right password', async () => {
    const limit = limitOf(2);
    for (let round = 0; round < 15; round += 1) {
      expect(await guess(limit, wrong)).toBeNull();
      expect(await guess(limit, right)).toBe('user');
    }
    expect([await guess(limit, wrong), await guess(limit, wrong)]).toEqual([null, null]);
    expect(await guess(limit, right)).toBe('refused');
  });

  it('guesses at many users from one address are limited', async () => {
    const limit = limitOf(1);
    const names = Array.from({ length: 10 }, (_none, index) => `user${index}`);
    for (const name of names) expect(await guess(limit, wrong, name, '2001:db8::1')).toBeNull();
    expect(await guess(limit, right, 'another', '2001:db8::ffff')).toBe('refused');
  });

  it('guesses at one user from many addresses are limited, but for addresses that have proven the password', async () => {
    const limit = limitOf(2);
    expect(await guess(limit, right, 'alice', '198.51.100.1')).toBe('user');
    for (let count = 0; count < 20; count += 1)
      expect(await guess(limit, wrong, 'alice', `192.0.2.${count}`)).toBeNull();
    expect(await guess(limit, right, 'alice', '192.0.2.200')).toBe('refused');
    expect(await guess(limit, right, 'alice', '198.51.100.1')).toBe('user');
    expect(await guess(limit, right, 'bob', '192.0.2.200')).toBe('user');
  });

  it('guesses that could not be checked do not count', async () => {
    const limit = limitOf(1);
    const failing = () => Promise.reject(new Error('no database'));
    for (let count = 0; count < 5; count += 1)
      await expect(guess(limit, failing)).rejects.toThrow('no database');
    expect(await guess(limit, right)).toBe('user');
  });
});
