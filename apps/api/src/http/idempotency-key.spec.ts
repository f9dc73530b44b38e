import { createHash } from 'node:crypto';
import { refusalOf } from '@test/support/refusal';
import { fingerprint, idempotencyKeyOf } from './idempotency-key';
import { jsonParameters, merge, textParameters } from './parameters';
import type { TextField, Parameters } from './parameters';
import '../runs/test-request.dto';
import { atOnce } from './slices';

it.each([undefined, 'x', '"8e03978e"', 'a b', 'x'.repeat(255)])(
  'the Idempotency-Key %j is taken',
  (header) => {
    expect(idempotencyKeyOf(header)).toBe(header ?? null);
  },
);

it.each(['', ' ', ' x', 'x ', 'x'.repeat(256), 'é', 'a\tb', 'a\0'])(
  'the Idempotency-Key %j is refused',
  (header) => {
    const problem = refusalOf(() => idempotencyKeyOf(header));
    expect(problem.status).toBe(400);
    expect(problem.detail).toContain('Idempotency-Key');
  },
);

const PATH = '/api/v1/test/bookworm/amd64';
const of = (parameters: Parameters, path = PATH, method = 'POST'): string =>
  atOnce(fingerprint(method, path, parameters));
const form = (...fields: TextField[]): Parameters => textParameters(fields, (name) => `#/${name}`);
const query = (...fields: TextField[]): Parameters => textParameters(fields, () => null);

describe('fingerprint', () => {
  const one = of(form(['tests', '[{"package":"hello","trigger":"a"}]'], ['priority', '5']));

  it.each<[string, string]>([
    ['in another order', of(form(['priority', '5'], ['tests', '[{"package":"hello","trigger":"a"}]']))],
    [
      'with other white space',
      of(form(['tests', ' [ {"trigger": "a", "package":"hello"} ]'], ['priority', '5'])),
    ],
    [
      'in the query',
      of(merge(query(['priority', '5']), form(['tests', '[{"package":"hello","trigger":"a"}]']))),
    ],
    [
      'with a slash at the end',
      of(form(['tests', '[{"package":"hello","trigger":"a"}]'], ['priority', '5']), `${PATH}/`),
    ],
  ])('a request is the same %s', (_how, other) => {
    expect(other).toBe(one);
    expect(other).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, string]>([
    ['another item', of(form(['tests', '[{"package":"hello","trigger":"b"}]'], ['priority', '5']))],
    ['another priority', of(form(['tests', '[{"package":"hello","trigger":"a"}]'], ['priority', '6']))],
    ['no priority', of(form(['tests', '[{"package":"hello","trigger":"a"}]']))],
    [
      'another path',
      of(form(['tests', '[{"package":"hello","trigger":"a"}]'], ['priority', '5']), '/api/v1/x'),
    ],
    [
      'another method',
      of(form(['tests', '[{"package":"hello","trigger":"a"}]'], ['priority', '5']), PATH, 'DELETE'),
    ],
    [
      'an unknown parameter',
      of(form(['tests', '[{"package":"hello","trigger":"a"}]'], ['priority', '5'], ['x', ''])),
    ],
  ])('a request is another one with %s', (_what, other) => {
    expect(other).not.toBe(one);
  });

  it('a trigger that looks like JSON is a text', () => {
    expect(of(form(['trigger', '[1]']))).not.toBe(of(form(['trigger', '[ 1 ]'])));
    expect(of(form(['trigger', '[1]']))).not.toBe(of(jsonParameters({ trigger: [1] })));
  });

  it('a list in another order is another request', () => {
    expect(of(jsonParameters([{ package: 'a1' }, { package: 'b1' }]))).not.toBe(
      of(jsonParameters([{ package: 'b1' }, { package: 'a1' }])),
    );
  });

  it('names of prototypes are names', () => {
    const plain = of(jsonParameters(JSON.parse('{"__proto__": {"a": 1}}')));
    expect(plain).not.toBe(of(jsonParameters({})));
    expect(of(jsonParameters([JSON.parse('{"__proto__": 1}')]))).not.toBe(of(jsonParameters([{}])));
  });
});

it('what is no JSON and should be, or nests too deep, is refused', () => {
  expect(() => of(form(['tests', '[{']))).toThrow(/tests is not valid JSON/);
  expect(() => of(form(['tests', '['.repeat(100_000)]))).toThrow(/64 deep/);
});

it('the hash is that of one text, though it is made in pieces', () => {
  const tests = [
    { trigger: 'a', package: 'hello', 'pin-packages': [['src:hello', 'sid'], []] },
    [[[[['deep', { b: 1, a: null }]]]]],
    null,
  ];
  const parameters = jsonParameters({ tests, priority: 5 });
  const text =
    '{"method":"POST","path":"/api/v1/x","parameters":[["priority",5],["tests",[' +
    '{"package":"hello","pin-packages":[["src:hello","sid"],[]],"trigger":"a"},' +
    '[[[[["deep",{"a":null,"b":1}]]]]],null]]]}';
  expect(of(parameters, '/api/v1/x')).toBe(createHash('sha256').update(text).digest('hex'));
});
