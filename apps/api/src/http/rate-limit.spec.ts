import { apiConfiguration } from '@test/support/api-configuration';
import { Problem } from './problem';
import { AnonymousRateLimit, KnownRateLimit } from './rate-limit';

function refusal(limit: KnownRateLimit | AnonymousRateLimit, client: string): Problem | null {
  try {
    limit.count(client);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

it.each([
  [KnownRateLimit, { requestsPerSecondMax: 3, requestsPerMinuteMax: 100 }, /3 requests within a second/, 1],
  [KnownRateLimit, { requestsPerSecondMax: 100, requestsPerMinuteMax: 3 }, /3 requests within a minute/, 60],
  [AnonymousRateLimit, { anonymousRequestsPerSecondMax: 3 }, /3 requests without a key within a second/, 1],
  [AnonymousRateLimit, { anonymousRequestsPerMinuteMax: 3 }, /3 requests without a key within a minute/, 60],
])('%p counts the requests of each client: %j', (Limit, limits, detail, secondsMax) => {
  const limit = new Limit(apiConfiguration(limits));
  for (let count = 0; count < 3; count += 1) expect(refusal(limit, 'client 1')).toBeNull();
  const problem = refusal(limit, 'client 1');
  expect(problem).toMatchObject({ status: 429, detail: expect.stringMatching(detail) });
  const seconds = Number(problem!.headers['Retry-After']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(secondsMax);
  expect(refusal(limit, 'client 2')).toBeNull();
});
