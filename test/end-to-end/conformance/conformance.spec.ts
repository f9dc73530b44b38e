import { CHECKS } from '@test/conformance/checks';
import type { Instance } from '@test/conformance/instance';
import { runCheck } from '@test/conformance/suite';
import { ConformanceInstance } from '@test/support/conformance-instance';

let service: ConformanceInstance;
let instance: Instance;

beforeAll(async () => {
  service = await ConformanceInstance.start();
  instance = service.seenAt();
});
afterAll(() => service?.stop());

it('every check has an id of its own', () => {
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
});

// A check that cannot be tried fails here: this instance has everything.
it.each(CHECKS.map((check) => [check.id, check.title, check] as const))('%s %s', (_id, _title, check) =>
  runCheck(check, instance),
);
