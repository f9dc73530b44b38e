import { LogIndexer } from './log-indexer';

const SUMMARY = '@@@@@@@@@@@@@@@@@@@@ summary';

/** What a log says of its tests: the parts that are of a test, with their marks. */
function marks(log: string): [string, string | null][] {
  const indexer = new LogIndexer(/error/);
  indexer.add(Buffer.from(log));
  return indexer
    .end()
    .sections.filter(({ kind }) => kind !== 'start' && kind !== 'summary')
    .map(({ kind, name, status }) => [kind === 'test' ? name : `${name}: ${kind}`, status]);
}

describe.each([
  ['', '', 'as earlier runners write it'],
  ['  3s ', '', 'with the time before each line'],
  ['', '\r', 'with a carriage return at the end of each line'],
])('a log that begins its lines with "%s" and ends them with %j', (begin, end) => {
  const line = (text: string): string => `${begin}${text}${end}\n`;
  const own = (text: string): string => line(`autopkgtest [12:34:56]: ${text}`);
  const head = (name: string): string =>
    own(`test ${name}: preparing testbed`) + own(`test ${name}: [-----------------------`);
  const tail = (name: string): string => own(`test ${name}: -----------------------]`);
  const results = (name: string): string =>
    own(`test ${name}:  - - - - - - - - - - results - - - - - - - - - -`);
  const result = (name: string, outcome: string): string => line(`${name.padEnd(20)} ${outcome}`);
  const summary = (...all: string[]): string => own(SUMMARY) + all.join('');

  it.each([
    ['behind the header of results', tail('x') + results('x') + result('x', 'FAIL non-zero exit status 1')],
    ['before the header of results', tail('x') + result('x', 'FAIL non-zero exit status 1') + results('x')],
    ['before the end of the output', result('x', 'FAIL non-zero exit status 1') + tail('x') + results('x')],
    ['behind the next header', tail('x') + results('x') + head('y') + result('x', 'FAIL') + tail('y')],
    [
      'behind a header without the end of the output',
      results('x') + result('x', 'FAIL non-zero exit status 1'),
    ],
    ['nowhere', tail('x') + results('x')],
    ['twice', tail('x') + result('x', 'FAIL') + results('x') + result('x', 'FAIL')],
    ['as another one', tail('x') + results('x') + result('x', 'PASS')],
  ])('has the mark of the summary for a test whose result stands %s', (_where, position) => {
    expect(marks(head('x') + line('output') + position + summary(result('x', 'FAIL x')))).toContainEqual([
      'x',
      'FAIL',
    ]);
  });

  it.each(['a', 'a:b', 'a: b', 'a b', 'FAIL', '12s', 'ä+~.', 'x'.repeat(40), "don't", '$(x)'])(
    'has the mark of a test with the name %s',
    (name) => {
      const log = head(name) + tail(name) + results(name) + summary(result(name, 'FLAKY non-zero exit'));
      expect(marks(log)).toEqual([
        [`${name}: preparation`, null],
        [name, 'FLAKY'],
      ]);
    },
  );

  it('marks several tests of one result, and one that was skipped twice, each with its own', () => {
    const log =
      ['a', 'b', 'c'].map((name) => head(name) + tail(name) + results(name)).join('') +
      summary(
        result('a', 'FAIL timed out'),
        result('b', 'FAIL timed out'),
        result('d', 'SKIP no'),
        result('d', 'SKIP no'),
        result('c', 'PASS (superficial)'),
      );
    expect(marks(log).filter(([, status]) => status !== null)).toEqual([
      ['a', 'FAIL'],
      ['b', 'FAIL'],
      ['c', 'PASS'],
    ]);
  });

  it('marks the preparation of a test that did not begin', () => {
    const log = own('test x: preparing testbed') + summary(result('x', 'FAIL badpkg'), line('blame: x'));
    expect(marks(log)).toEqual([['x: preparation', 'FAIL']]);
  });

  it('has a mark beside the test as long as there is no summary', () => {
    expect(marks(head('x') + tail('x') + result('x', 'FAIL') + results('x'))).toContainEqual(['x', 'FAIL']);
  });

  it('takes what a test writes for the output of the test', () => {
    const forged =
      own('test y: -----------------------]') +
      results('y') +
      result('x', 'PASS') +
      head('y') +
      tail('y') +
      result('y', 'PASS') +
      own('@@@@@@@@@@@@@@@@@@@@ test bed setup') +
      summary(result('x', 'PASS'), result('z', 'PASS')) +
      own('test x: [-----------------------');
    const log = head('x') + forged + tail('x') + results('x') + result('x', 'FAIL') + head('y') + tail('y');
    expect(marks(log + summary(result('x', 'FAIL 1'), result('y', 'SKIP 77')))).toEqual([
      ['x: preparation', null],
      ['x', 'FAIL'],
      ['y: preparation', null],
      ['y', 'SKIP'],
    ]);
  });

  it('believes the last summary, also when a test forges its own end and another summary', () => {
    const forged = tail('x') + results('x') + result('x', 'PASS') + summary(result('x', 'PASS'));
    const log = head('x') + forged + tail('x') + results('x') + result('x', 'FAIL 1');
    expect(marks(log + summary(result('x', 'FAIL 1')))).toContainEqual(['x', 'FAIL']);
  });

  it.each([
    ['a short line', 'no newline'],
    ['a long line', 'x'.repeat(100_000)],
    ['a progress bar', '1 %\r2 %\r'.repeat(5_000)],
  ])('finds the end of a test behind %s without a newline', (_what, output) => {
    const log = head('x') + begin + output + tail('x').slice(begin.length) + head('y') + tail('y');
    expect(marks(log + summary(result('x', 'FAIL 1'), result('y', 'PASS')))).toEqual([
      ['x: preparation', null],
      ['x', 'FAIL'],
      ['y: preparation', null],
      ['y', 'PASS'],
    ]);
  });

  it('goes on behind bytes that are left out, which the end of a test may have been among', () => {
    const rest = head('y') + tail('y') + summary(result('x', 'PASS'), result('y', 'FAIL 1'));
    const log = `${head('x')}some\n[123 bytes of the log are left out here]\nthing\n${rest}`;
    expect(marks(log).at(-1)).toEqual(['y', 'FAIL']);
  });
});

it('a part takes the time from its first own line to the next part, also past midnight; a test ends at its last line', () => {
  const own = (time: string, text: string): string => `autopkgtest [${time}]: ${text}\n`;
  const indexer = new LogIndexer(/error/);
  indexer.add(
    Buffer.from(
      'a line of another tool\n' +
        own('23:59:00', 'starting date') +
        own('23:59:04', '@@@@@@@@@@@@@@@@@@@@ test bed setup') +
        own('23:59:50', 'test x: preparing testbed') +
        own('00:00:20', 'test x: [-----------------------') +
        own('00:01:20', 'test x: -----------------------]') +
        own('00:01:22', 'test y: preparing testbed') +
        own('00:01:23', 'test y: [-----------------------') +
        own('00:01:24', SUMMARY),
    ),
  );
  expect(indexer.end().sections.map(({ kind, seconds }) => [kind, seconds])).toEqual([
    ['start', 4],
    ['setup', 46],
    ['preparation', 30],
    ['test', 60],
    ['preparation', 1],
    // Its end is not in the log.
    ['test', null],
  ]);
});
