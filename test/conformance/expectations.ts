import { isDeepStrictEqual } from 'node:util';
import { NotConforming } from './outcomes';
import type { Answer } from './exchange';

const textOf = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** The form of every time that the API writes. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function fail(message: string): never {
  throw new NotConforming(message);
}

export function ok(condition: unknown, message: string): asserts condition {
  if (!condition) fail(message);
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected))
    fail(`${what}: ${textOf(expected)} was due, ${textOf(actual)} came`);
}

export function matches(actual: unknown, pattern: RegExp, what: string): void {
  if (typeof actual !== 'string' || !pattern.test(actual))
    fail(`${what}: ${textOf(actual)} does not fit ${pattern}`);
}

/** The keys of `expected` have these values; others are free. */
export function includes(actual: unknown, expected: Record<string, unknown>, what: string): void {
  ok(typeof actual === 'object' && actual !== null, `${what}: an object was due, ${textOf(actual)} came`);
  for (const [key, value] of Object.entries(expected)) {
    equal((actual as Record<string, unknown>)[key], value, `${what}, ${key}`);
  }
}

export function status(answer: Answer, ...expected: number[]): Answer {
  if (!expected.includes(answer.status)) {
    fail(`${answer.name}, ${expected.join(' or ')} was due: ${answer.text.slice(0, 300)}`);
  }
  return answer;
}

export interface Problem {
  title: string;
  status: number;
  detail: string;
  errors?: { pointer: string; detail?: string }[];
}

/** An RFC 9457 document with the status of the answer; its detail holds each of the words. */
export function problem(answer: Answer, expected: number, ...words: string[]): Problem {
  status(answer, expected);
  equal(answer.type, 'application/problem+json', `${answer.name}: content type`);
  const document = answer.json<Problem>();
  equal(document.status, expected, `${answer.name}: status in the document`);
  ok(typeof document.title === 'string' && document.title !== '', `${answer.name}: there is no title`);
  ok(typeof document.detail === 'string' && document.detail !== '', `${answer.name}: there is no detail`);
  for (const word of words) {
    ok(
      document.detail.includes(word),
      `${answer.name}: the detail does not name ${textOf(word)}: ${document.detail}`,
    );
  }
  return document;
}

/** A problem whose errors[] hold a JSON pointer that ends as given. */
export function pointsAt(answer: Answer, ending: string): void {
  const { errors } = problem(answer, 400);
  ok(
    Array.isArray(errors) && errors.length > 0,
    `${answer.name}: there are no errors[]: ${answer.text.slice(0, 200)}`,
  );
  for (const { pointer } of errors) matches(pointer, /^#?(\/|$)/, `${answer.name}: the JSON pointer`);
  ok(
    errors.some(({ pointer }) => pointer.endsWith(ending)),
    `${answer.name}: no pointer ends with ${ending}: ${textOf(errors)}`,
  );
}

/** Longer than anything takes on a busy machine. */
export const PATIENCE_MS = 240_000;

/** Looks every 100 ms. @throws NotConforming when it has not come true in time */
export async function becomes<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const result = await look();
    if (result !== null && result !== undefined && result !== false) return result;
    if (Date.now() > end) fail(`${what}: not within ${timeoutMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
