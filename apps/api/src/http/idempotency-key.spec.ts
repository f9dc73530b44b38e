import { refusalOf } from '../../../../test/support/refusal';
import { idempotencyKeyOf } from './idempotency-key';

it.each([undefined, 'x', '"8e03978e"', 'a b', 'x'.repeat(255)])('takes %j', (header) => {
  expect(idempotencyKeyOf(header)).toBe(header ?? null);
});

it.each(['', ' ', ' x', 'x ', 'x'.repeat(256), 'é', 'a\tb', 'a\0'])('refuses %j', (header) => {
  const problem = refusalOf(() => idempotencyKeyOf(header));
  expect(problem.status).toBe(400);
  expect(problem.detail).toContain('Idempotency-Key');
});
