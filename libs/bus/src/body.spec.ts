import { MalformedMessage } from '@proctor/contracts';
import { failureText, parseAnswer, parseBody } from './body';
import { RemoteError } from './bus';

it('a body is read as JSON only', () => {
  expect(parseBody('{"a":1}')).toEqual({ a: 1 });
  expect(() => parseBody('{a:1}')).toThrow(MalformedMessage);
});

it.each([
  [new Error('no epoch'), 'no epoch'],
  [{ status: 'error', message: 'Internal server error' }, 'Internal server error'],
  ['just so', 'just so'],
])('an answer carries the message of %p to the asker', (error, message) => {
  expect(() => parseAnswer('a.subject', failureText(error))).toThrow(new RemoteError(message));
});

it('an error message that no answer has room for is cut', () => {
  expect(failureText(new Error('\u0001'.repeat(2_000_000))).length).toBeLessThan(20_000);
});

it.each(['null', '[]', '7', '{"error":null}', '{"errors":"x"}'])('%s counts as an answer', (text) => {
  expect(parseAnswer('a.subject', text)).toEqual(JSON.parse(text));
});

it('what is not JSON does not count as an answer', () => {
  expect(() => parseAnswer('a.subject', '+OK')).toThrow(RemoteError);
});
