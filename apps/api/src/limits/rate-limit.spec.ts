import { apiConfiguration } from '../../../../test/support/api-configuration';
import { Problem } from '../http/problem';
import { RateLimit } from './rate-limit';

async function refusal(limit: RateLimit, client: string): Promise<Problem | null> {
  return limit.count(client).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
}

it.each([
  [{ requestsPerSecondMax: 3, requestsPerMinuteMax: 100 }, /3 requests within a second/, 1],
  [{ requestsPerSecondMax: 100, requestsPerMinuteMax: 3 }, /3 requests within a minute/, 60],
])('counts the requests of each client: %j', async (limits, detail, secondsMax) => {
  const limit = new RateLimit(apiConfiguration(limits));
  for (let count = 0; count < 3; count += 1) expect(await refusal(limit, 'key 1')).toBeNull();
  const problem = await refusal(limit, 'key 1');
  expect(problem).toMatchObject({ status: 429, detail: expect.stringMatching(detail) });
  const seconds = Number(problem!.headers['Retry-After']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(secondsMax);
  expect(await refusal(limit, 'key 2')).toBeNull();
});
