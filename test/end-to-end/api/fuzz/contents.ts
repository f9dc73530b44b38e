import fc from 'fast-check';
import { keysOf } from '@apps/api/src/http/shape';
import { TestItem } from '@apps/api/src/runs/test-request.dto';
import { codePoint } from '@test/support/code-point';

/** What the generated requests may use so that some of them are accepted. */
export interface Known {
  suite: string;
  arch: string;
  key: string;
  credentials: string;
  runIds: number[];
  /** The ids of the user's keys. */
  keyIds: number[];
}

export const weird = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 20 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '../../etc/passwd',
    '\0',
    '\u2028',
    '__proto__',
    'constructor',
    '*',
    'NaN',
    '1e9',
  ),
  fc.constantFrom(
    '-1',
    '0',
    '2147483648',
    '9007199254740991',
    '9007199254740992',
    '99999999999999999999',
    '1.5',
    'true',
    'null',
    '[]',
    '{}',
    "' or 1=1 --",
  ),
  fc.string({ minLength: 300, maxLength: 3000 }),
);

export const packageName = fc.constantFrom('hello', 'libfuzz', 'g++', 'A', 'x'.repeat(201));

export const parameters = [
  ...keysOf(TestItem),
  'tests',
  'since',
  'wait',
  'run_ids',
  'extra_apt_sources',
  'name',
  'before',
  'page',
  '__proto__',
];

const jsonish = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: weird },
  { weight: 1, arbitrary: fc.constantFrom(5, 10, true, false, null, [], {}) },
);

function item(targets: Known): fc.Arbitrary<unknown> {
  const good = fc.record(
    {
      package: packageName,
      trigger: fc.string({ unit: 'grapheme', maxLength: 30 }),
      is_private: fc.boolean(),
      priority: fc.integer({ min: 1, max: 10 }),
      'pin-packages': fc.constantFrom([], [['src:hello', targets.suite]]),
    },
    { requiredKeys: ['package'] },
  );
  const spoiled = fc
    .tuple(good, fc.constantFrom(...keysOf(TestItem)), jsonish)
    .map(([one, key, value]) => ({ ...one, [key]: value }));
  return fc.oneof({ weight: 5, arbitrary: good }, spoiled, jsonish);
}

function document(targets: Known): fc.Arbitrary<unknown> {
  const list = fc.array(item(targets), { maxLength: 5 });
  const part = fc.record({
    suite: fc.constant(targets.suite),
    arch: fc.constantFrom(targets.arch, [targets.arch]),
    tests: list,
  });
  return fc.oneof(
    { weight: 6, arbitrary: list },
    fc.record({
      tests: fc.oneof(list, fc.array(part, { maxLength: 3 }), jsonish),
      priority: fc.integer({ min: 0, max: 11 }),
    }),
    { weight: 3, arbitrary: fc.array(part, { maxLength: 3 }) },
    fc.record({ run_ids: fc.constantFrom(targets.runIds.join(), '', 'x') }),
    fc.record({ name: fc.string({ maxLength: 20 }) }),
    fc.dictionary(fc.constantFrom(...parameters), jsonish),
    jsonish,
  );
}

export interface Content {
  type: string;
  body: Buffer;
}

function fields(targets: Known): fc.Arbitrary<[string, string][]> {
  const value = fc.oneof(
    document(targets).map((value) => JSON.stringify(value) ?? ''),
    weird,
  );
  return fc.array(fc.tuple(fc.constantFrom(...parameters), value), { maxLength: 4 });
}

function multipart(list: [string, string][], boundary: string, isFile: boolean): Buffer {
  const file = isFile ? '; filename="x.json"' : '';
  const parts = list.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
}

export function content(targets: Known): fc.Arbitrary<Content> {
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/form-data',
    'text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=nothing',
    '',
    'x',
    'multipart/mixed; boundary="',
  ];
  const asJson = document(targets).map((value) => ({
    type: 'application/json',
    body: Buffer.from(JSON.stringify(value) ?? ''),
  }));
  const asForm = fields(targets).map((list) => {
    const wellFormed = list.map(([name, value]): [string, string] => [name, value.toWellFormed()]);
    return {
      type: 'application/x-www-form-urlencoded',
      body: Buffer.from(new URLSearchParams(wellFormed).toString()),
    };
  });
  const asMultipart = fc.tuple(fields(targets), fc.boolean()).map(([list, isFile]) => {
    return { type: 'multipart/form-data; boundary=b', body: multipart(list, 'b', isFile) };
  });
  const good = fc.oneof({ weight: 3, arbitrary: asJson }, asForm, asMultipart);
  const cut = fc
    .tuple(good, fc.nat(60))
    .map(([{ type, body }, end]) => ({ type, body: body.subarray(0, end) }));
  const noise = fc
    .tuple(fc.constantFrom(...types), fc.uint8Array({ maxLength: 80 }))
    .map(([type, bytes]) => ({ type, body: Buffer.from(bytes) }));
  const mistaken = fc.tuple(good, fc.constantFrom(...types)).map(([{ body }, type]) => ({ type, body }));
  return fc.oneof({ weight: 6, arbitrary: good }, cut, noise, mistaken);
}
