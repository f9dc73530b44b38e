import { gunzipSync } from 'node:zlib';
import { BLOCK_BYTES, blockGzip } from './block-gzip';
import { contentFrom } from './block-reader';
import { ERROR_PATTERNS, errorExpression } from './error-patterns';
import { logIndexText, parseLogIndex, type LogIndex } from './log-index';
import { LogIndexer } from './log-indexer';
import { Readable } from 'node:stream';

const ERRORS = errorExpression(ERROR_PATTERNS);

function indexed(text: string | Buffer, pieceBytes = 7) {
  const bytes = Buffer.from(text);
  const indexer = new LogIndexer(ERRORS);
  for (let at = 0; at < bytes.length; at += pieceBytes) indexer.add(bytes.subarray(at, at + pieceBytes));
  return { index: indexer.end(), excerpt: indexer.excerpt() };
}

const own = (text: string) => `  3s autopkgtest [12:34:56]: ${text}\n`;
const test = (name: string, output: string, result: string) =>
  own(`test ${name}: preparing testbed`) +
  'Get:1 http://deb.example/ x\n' +
  own(`test ${name}: [-----------------------`) +
  output +
  own(`test ${name}: -----------------------]`) +
  own(`test ${name}:  - - - - - - - - - - results - - - - - - - - - -`) +
  `  4s ${name}   ${result}\n`;

const LOG =
  own('starting date and time') +
  own('@@@@@@@@@@@@@@@@@@@@ test bed setup') +
  'E: not the fault of a test\n' +
  test('good', 'fine\nerror: expected\n', 'PASS') +
  test(
    'bad',
    'one\ntwo\nthree\nfatal error: x.h: No such file\nfive\nsix\nseven\n',
    'FAIL non-zero exit status 1',
  ) +
  own('@@@@@@@@@@@@@@@@@@@@ summary') +
  'good PASS\nbad FAIL non-zero exit status 1\n';

describe('the sections of a log', () => {
  it("are read from the runner's own lines, with the result of each test", () => {
    const { index } = indexed(LOG);
    expect(index.sections.map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['start', '', null],
      ['setup', 'test bed setup', null],
      ['preparation', 'good', null],
      ['test', 'good', 'PASS'],
      ['preparation', 'bad', null],
      ['test', 'bad', 'FAIL'],
      ['summary', 'summary', null],
    ]);
    const lines = LOG.split('\n');
    for (const { kind, line } of index.sections.slice(1))
      expect(lines[line - 1]).toMatch(
        { setup: /@@@/, preparation: /prep/, test: /\[---/, summary: /@@@/, start: /^/ }[kind],
      );
  });

  it('are the same however the bytes of the log are cut', () => {
    expect(indexed(LOG, 1)).toEqual(indexed(LOG, 100_000));
  });

  it('are one when the log has no line of the runner', () => {
    expect(indexed('a\nb').index).toMatchObject({
      lines: 2,
      bytes: 3,
      sections: [{ kind: 'start', line: 1 }],
    });
    expect(indexed('').index).toMatchObject({ lines: 0, bytes: 0, sections: [] });
  });

  it('have an end, however many a hostile test writes', () => {
    const { index } = indexed((own('test a: [---') + own('test a: ---]')).repeat(3_000), 100_000);
    expect(index.sections).toHaveLength(1_000);
  });
});

it.each([
  'invoke-rc.d: WARNING: No init system and policy-rc.d missing! Defaulting to block.',
  'invoke-rc.d: policy-rc.d denied execution of start.',
  'pdns-recursor: unrecognized service',
  "System has not been booted with systemd as init system (PID 1). Can't operate.",
])('the first line about a service that lacks an init is found: %s', (line) => {
  const { index } = indexed(`${own('@@@@@@ test bed setup')}one\n  4s ${line}\n${line}\n`);
  expect(index.withoutInitLine).toBe(3);
  expect(parseLogIndex(logIndexText(index))).toEqual(index);
});

it('a service that was not found elsewhere in a line is no service that lacks an init', () => {
  expect(indexed('echo "x: unrecognized service" >log\n').index.withoutInitLine).toBeNull();
});

describe('the excerpt of a log', () => {
  it('is of the first error of the first test that failed, with two lines before and two after', () => {
    const { excerpt } = indexed(LOG);
    expect(excerpt!.lines).toEqual(['two', 'three', 'fatal error: x.h: No such file', 'five', 'six']);
    const lines = LOG.split('\n');
    expect(lines[excerpt!.errorLine - 1]).toContain('fatal error');
    expect(lines[excerpt!.firstLine - 1]).toBe('two');
  });

  it('keeps the shape of a traceback', () => {
    const traceback =
      'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\n\traise ValueError\n';
    expect(indexed(test('bad', traceback, 'FAIL x')).excerpt!.lines.slice(-3)).toEqual([
      'Traceback (most recent call last):',
      '  File "t.py", line 3, in <module>',
      '        raise ValueError',
    ]);
  });

  it('is the end of the output when a test failed and no line says why', () => {
    const { excerpt } = indexed(test('bad', '1\n2\n3\n4\n5\n6\n', 'FAIL stderr: x'));
    expect(excerpt!.lines).toEqual(['2', '3', '4', '5', '6']);
  });

  it('is of the first error of all when no test failed', () => {
    const { excerpt } = indexed(own('@@@@@@ test bed setup') + 'E: Unable to locate package x\n');
    expect(excerpt!.lines).toEqual([
      expect.stringContaining('test bed setup'),
      'E: Unable to locate package x',
    ]);
  });

  it('has short lines of plain text, whatever the log has', () => {
    const { excerpt } = indexed(`\x1b[31merror: ${'x'.repeat(2_000_000)}\x1b[0m\nnext\0\n`, 65_536);
    expect(excerpt!.lines[0]).toHaveLength(300);
    expect(excerpt!.lines[0]).toMatch(/^error: x+…$/);
    expect(excerpt!.lines[1]).toBe('next');
  });

  it.each([
    ['a short progress bar', '10%\r50%\r'],
    ['a progress bar that is longer than what is kept of a line', '10%\r'.repeat(5_000)],
    ['a spinner', '|\x1b[2K\x1b[1G/\x1b[2K\x1b[1G'],
    ['a long line that is overwritten', `${'x'.repeat(5_000)}\r`],
  ])('is of a line behind %s', (_what, before) => {
    const line = `${before}error: no such thing\r`;
    for (const pieceBytes of [7, 4_001, 65_536])
      expect(indexed(`one\n${line}\n`, pieceBytes).excerpt!.lines).toEqual(['one', 'error: no such thing']);
  });

  it('finds the end of a test behind a progress bar', () => {
    const { index } = indexed(
      LOG.replace('seven\n', '10%\r'.repeat(5_000)).replace(/ {2}3s (?=autopkgtest.*bad: -{3,}\])/, ''),
      65_536,
    );
    expect(index.sections.map(({ status }) => status)).toContain('FAIL');
  });

  it('is missing when no line is about an error', () => {
    expect(indexed('fine\n').excerpt).toBeNull();
  });
});

it.each([
  ['E: Unable to locate package x', true],
  ['foo.c:3: error: expected', true],
  ['Traceback (most recent call last):', true],
  ['ValueError: no', true],
  ['not ok 3 - x', true],
  ['make: *** [Makefile:3: all] Error 2', true],
  ['Segmentation fault (core dumped)', true],
  ['0 errors, 3 warnings', false],
  ['ok 3 - error handling', false],
  ['Setting up liberror-perl (0.17029-2) ...', false],
])('the line %j is about an error: %s', (line, isError) => {
  expect(indexed(line).index.marks).toEqual(isError ? [1] : []);
});

describe('a log that is compressed in blocks', () => {
  const text = Array.from({ length: 60_000 }, (_, n) => `line ${n + 1} of the log`).join('\n');

  async function packed(): Promise<{ gzip: Buffer; index: LogIndex }> {
    const indexer = new LogIndexer(ERRORS);
    const chunks: Buffer[] = [];
    const content = Readable.from([Buffer.from(text)]);
    for await (const chunk of blockGzip(content, (bytes, block) => indexer.add(bytes, block)))
      chunks.push(chunk);
    return { gzip: Buffer.concat(chunks), index: indexer.end() };
  }

  it('is one ordinary gzip file', async () => {
    const { gzip, index } = await packed();
    expect(gunzipSync(gzip).toString()).toBe(text);
    expect(index.blocks).toHaveLength(Math.ceil(text.length / BLOCK_BYTES));
    expect(index).toMatchObject({ lines: 60_000, bytes: text.length });
  });

  it('is read from any byte on without what comes before it', async () => {
    const { gzip, index } = await packed();
    for (const from of [
      0,
      1,
      BLOCK_BYTES - 1,
      BLOCK_BYTES,
      BLOCK_BYTES * 2 + 5,
      text.length - 1,
      text.length,
    ]) {
      const opened: number[] = [];
      const open = (at: number) => {
        opened.push(at);
        return Promise.resolve(Readable.from([gzip.subarray(at)]));
      };
      const chunks: Buffer[] = [];
      for await (const chunk of contentFrom(open, index.blocks, from)) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe(text.slice(from));
      expect(opened).toEqual([
        index.blocks[Math.min(index.blocks.length - 1, Math.floor(from / BLOCK_BYTES))]!.gzipOffset,
      ]);
    }
  });

  it('has an index that travels as JSON', async () => {
    const { index } = await packed();
    expect(parseLogIndex(logIndexText(index))).toEqual(index);
  });
});

it.each([
  'null',
  '[]',
  '{',
  '{"version":1}',
  '{"version":1,"bytes":-1,"lines":0,"marksTotal":0,"marks":[],"sections":[],"blocks":[]}',
  '{"version":1,"bytes":1,"lines":1,"marksTotal":0,"marks":[2],"sections":[],"blocks":[]}',
  '{"version":1,"bytes":1,"lines":1,"marksTotal":0,"marks":[],"sections":[{"kind":"x"}],"blocks":[]}',
  '{"version":1,"bytes":1,"lines":1,"marksTotal":0,"marks":[],"sections":[],"blocks":[[0,5,0]]}',
  '{"version":1,"bytes":9,"lines":1,"marksTotal":0,"marks":[],"sections":[],"blocks":[[0,5,0],[0,5,0]]}',
])('what is no index of a log does not count as one: %s', (text) => {
  expect(parseLogIndex(text)).toBeNull();
});
