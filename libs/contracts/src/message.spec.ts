import 'reflect-metadata';
import { LeaseRequest } from './lease-request';
import { MalformedMessage, parseMessage } from './message';
import { FinishedReport } from './report';
import { jsonBytes, MESSAGE_BYTES_MAX } from './size';
import { TESTS_MAX } from './test-result';

const identity = { worker: 'w1', incarnation: 'b3a1a3a8-9f1e-4c5e-8a55-0d8b1a4f1d11', slot: 0 };
const ask = {
  ...identity,
  ask: 'b3a1a3a8-9f1e-4c5e-8a55-0d8b1a4f1d12',
  testbeds: [],
  variants: ['autopkgtest'],
};
const finishedReport = {
  ...identity,
  runId: 1,
  attempt: 1,
  verdict: 'pass',
  message: 'All tests passed',
  exitCode: 0,
  version: '2.10-3',
  durationSeconds: 9,
  files: [{ name: 'log.gz', size: 3, sha256: 'a'.repeat(64) }],
};
const test1 = { name: 'unit', status: 'PASS', detail: null };

it('a well-formed message becomes an instance of its class', () => {
  expect(parseMessage(LeaseRequest, ask)).toBeInstanceOf(LeaseRequest);
  expect(parseMessage(FinishedReport, finishedReport).files[0]?.size).toBe(3);
  expect(
    parseMessage(FinishedReport, { ...finishedReport, version: null, exitCode: null }).version,
  ).toBeNull();
  expect(parseMessage(FinishedReport, { ...finishedReport, runId: 2 ** 53 - 1 }).runId).toBe(2 ** 53 - 1);
  const tests = [test1, { name: '*', status: 'SKIP', detail: 'no tests in this package' }];
  expect(parseMessage(FinishedReport, { ...finishedReport, tests }).tests).toEqual(tests);
  const image = { name: 'unshare/sid/amd64', builtAtMs: Date.UTC(2026, 10) };
  expect(parseMessage(FinishedReport, { ...finishedReport, image }).image).toEqual(image);
});

it.each([
  [{ name: 'x'.repeat(201), builtAtMs: 1 }, 'image.name: '],
  [{ name: 'sid', builtAtMs: Date.UTC(10_000, 0) }, 'image.builtAtMs: '],
  [{ name: 'sid', builtAtMs: '1' }, 'image.builtAtMs: '],
  [{ name: 'sid' }, 'image.builtAtMs: '],
])('a report with the image %j is refused', (image, expected) => {
  expect(() => parseMessage(FinishedReport, { ...finishedReport, image })).toThrow(expected);
});

it.each([
  [null, 'an object is expected'],
  ['text', 'an object is expected'],
  [[], 'an object is expected'],
  [{ ...ask, worker: 'a.b' }, 'worker: '],
  [{ ...ask, slot: '0' }, 'slot: '],
  [{ ...ask, testbeds: [{ suite: 'sid', backend: 'unshare', state: '?' }] }, 'testbeds.0.state: '],
  [{ ...ask, variants: undefined }, 'variants: '],
  [{ ...ask, variants: Array.from({ length: 101 }, () => 'v') }, 'variants: '],
  [{ ...ask, busyElsewhere: [0, -1] }, 'busyElsewhere: '],
  [{ ...ask, busyElsewhere: [10_000] }, 'busyElsewhere: '],
  [{ ...ask, busyElsewhere: Array.from({ length: 1001 }, () => 1) }, 'busyElsewhere: '],
  [{ ...ask, kept: Array.from({ length: 101 }, () => ({ runId: 1, attempt: 1 })) }, 'kept: '],
  [{ ...ask, kept: [{ runId: 1, attempt: 1, grantEpoch: 0 }] }, 'kept.0.grantEpoch: '],
  [{ ...ask, kept: [{ runId: 1, attempt: 1, grantEpoch: null }] }, 'kept.0.grantEpoch: '],
  [{ ...ask, kept: [{ runId: 1, attempt: 1, grantEpoch: 2 ** 53 }] }, 'kept.0.grantEpoch: '],
  [{ ...ask, previous: Array.from({ length: 21 }, () => identity.incarnation) }, 'previous: '],
])('the message %j is refused', (message, expected) => {
  expect(() => parseMessage(LeaseRequest, message)).toThrow(MalformedMessage);
  expect(() => parseMessage(LeaseRequest, message)).toThrow(expected);
});

it('the longest ask has room in a message, however its texts are written', () => {
  const names = Array.from({ length: 100 }, () => '\u0001'.repeat(100));
  const testbed = { suite: 'sid', backend: 'unshare', state: 'failed', detail: '\u0001'.repeat(1_000) };
  const testbeds = (count: number) => Array.from({ length: count }, () => testbed);
  const longest = {
    ...ask,
    variants: names,
    builds: names,
    sizeClasses: names,
    busyElsewhere: Array.from({ length: 1_000 }, (_, slot) => slot),
    problem: '\u0001'.repeat(1_000),
    previous: Array.from({ length: 20 }, () => identity.incarnation),
    kept: Array.from({ length: 100 }, () => ({
      runId: 2 ** 53 - 1,
      attempt: 999_999_999,
      grantEpoch: 2 ** 53 - 1,
    })),
    canary: { canary: '\u0001'.repeat(100), passed: false, message: '\u0001'.repeat(1_000) },
  };
  const most = { ...longest, testbeds: testbeds(43) };
  expect(parseMessage(LeaseRequest, most).testbeds).toHaveLength(43);
  expect(jsonBytes(most)).toBeLessThan(MESSAGE_BYTES_MAX / 2);
  expect(() => parseMessage(LeaseRequest, { ...longest, testbeds: testbeds(44) })).toThrow(
    'testbeds: testbeds must have at most 262144 bytes as JSON',
  );
});

it('of very many broken rules the first are listed', () => {
  const testbeds = Array.from({ length: 1_000 }, () => ({}));
  expect(() => parseMessage(LeaseRequest, { ...ask, testbeds })).toThrow(
    /^LeaseRequest: testbeds\.0\.suite: .{100,1500}; and 2990 more$/,
  );
});

it('a list that is far too long is refused without a look at its entries', () => {
  let looks = 0;
  const entry = {
    get suite() {
      looks += 1;
      return 'sid';
    },
  };
  const testbeds = Array.from({ length: 100_000 }, () => entry);
  expect(() => parseMessage(LeaseRequest, { ...ask, testbeds })).toThrow(
    new MalformedMessage('LeaseRequest: testbeds: a list of 100000 entries, of at most 1000'),
  );
  expect(looks).toBe(0);
  expect(parseMessage(LeaseRequest, { ...ask, unknown: testbeds.map(() => 1) }).testbeds).toEqual([]);
});

it.each([
  [{ runId: 2 ** 53 }, 'runId: '],
  [{ runId: 0 }, 'runId: '],
  [{ verdict: 'neutral-ish' }, 'verdict: '],
  [{ exitCode: 300 }, 'exitCode: '],
  [{ exitCode: undefined }, 'exitCode: '],
  [{ version: 7 }, 'version: '],
  [{ version: '1\0' }, 'version: '],
  [{ message: 'half a pair: \ud800' }, 'message: '],
  [{ message: 'x'.repeat(2001) }, 'message: '],
  [{ files: [{ name: '../log.gz', size: 1, sha256: 'a'.repeat(64) }] }, 'files.0.name: '],
  [{ files: [{ name: 'log.gz', size: 1, sha256: 'A' }] }, 'files.0.sha256: '],
  [{ tests: 'unit PASS' }, 'tests: '],
  [{ tests: Array.from({ length: TESTS_MAX + 1 }, () => test1) }, 'tests: '],
  [{ tests: [{ ...test1, name: 'two words' }] }, 'tests.0.name: '],
  [{ tests: [test1, { ...test1, name: 'x'.repeat(201) }] }, 'tests.1.name: '],
  [{ tests: [{ ...test1, status: 'pass?' }] }, 'tests.0.status: '],
  [{ tests: [{ ...test1, detail: 'x'.repeat(301) }] }, 'tests.0.detail: '],
  [{ tests: [{ ...test1, detail: 'a\0b' }] }, 'tests.0.detail: '],
  [{ tests: [{ name: 'unit', status: 'PASS' }] }, 'tests.0.detail: '],
])('a finished report with %j is refused', (change, expected) => {
  expect(() => parseMessage(FinishedReport, { ...finishedReport, ...change })).toThrow(expected);
});

describe('words of later versions', () => {
  it('a trouble that only a later version knows is as absent', () => {
    const report = parseMessage(FinishedReport, {
      ...finishedReport,
      verdict: 'tmpfail',
      trouble: 'cosmic-rays',
    });
    expect(report).toMatchObject({ verdict: 'tmpfail', runId: 1 });
    expect(report.trouble).toBeUndefined();
  });

  it('testbeds, tests and files that only a later version can name are as absent, and the others count', () => {
    const [ready, asleep] = ['ready', 'asleep'].map((state) => ({ suite: 'sid', backend: 'unshare', state }));
    expect(parseMessage(LeaseRequest, { ...ask, testbeds: [asleep, ready] }).testbeds).toEqual([ready]);
    const tests = [{ ...test1, status: 'SLEPT' }, test1];
    const more = ['coverage.xml', 'video.webm', 'a', 'b'].map((name) => ({
      ...finishedReport.files[0],
      name,
    }));
    const report = parseMessage(FinishedReport, {
      ...finishedReport,
      tests,
      files: [...more, ...finishedReport.files],
    });
    expect(report.tests).toEqual([test1]);
    expect(report.files).toEqual(finishedReport.files);
  });

  it('a message with words of a later version stays as it was for others who look at it', () => {
    const message = { ...finishedReport, trouble: 'cosmic-rays', tests: [{ ...test1, status: 'SLEPT' }] };
    const before = structuredClone(message);
    parseMessage(FinishedReport, message);
    expect(message).toEqual(before);
  });

  it.each([['cosmic rays'], [''], ['-x'], ['x'.repeat(65)], [7], ['zwölf']])(
    'a trouble %j is a mistake in every version',
    (trouble) => {
      expect(() => parseMessage(FinishedReport, { ...finishedReport, trouble })).toThrow('trouble: ');
    },
  );

  it.each([
    [{ verdict: 'splendid' }, 'verdict: '],
    [{ files: [{ ...finishedReport.files[0], name: 7 }] }, 'files.0.name: '],
  ])('a report with %j, without which it means nothing, is refused', (change, expected) => {
    expect(() => parseMessage(FinishedReport, { ...finishedReport, ...change })).toThrow(expected);
  });

  it('an ask names protocol, features and version, or none of them', () => {
    const release = { protocol: 3, features: ['wakeable', 'teleports'], version: '1.2.3' };
    expect(parseMessage(LeaseRequest, { ...ask, ...release })).toMatchObject(release);
    expect(parseMessage(LeaseRequest, ask).protocol).toBeUndefined();
    for (const wrong of [{ protocol: 0 }, { protocol: '2' }, { features: 'all' }, { version: 7 }])
      expect(() => parseMessage(LeaseRequest, { ...ask, ...wrong })).toThrow(Object.keys(wrong)[0]);
  });
});
