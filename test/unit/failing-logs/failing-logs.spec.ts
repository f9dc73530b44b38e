import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ERROR_PATTERNS, errorExpression, LogIndexer } from '@proctor/result-files';

/** Lines between the right line and one that leads to it. */
const NEAR = 10;
const FOLDER = join(__dirname, 'logs');
const ERRORS = errorExpression(ERROR_PATTERNS);

interface FailingLog {
  file: string;
  ecosystem: string;
  licence: string;
  /** The number of the line that a maintainer wants to see first. */
  line: number;
  part: string;
}

const LOGS = readFileSync(join(__dirname, 'logs.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((row): FailingLog => {
    const [file, ecosystem, , , licence, , line, part] = row.split('\t') as [string, ...string[]];
    return { file, ecosystem: ecosystem!, licence: licence!, line: Number(line), part: part! };
  });

function contentOf(file: string): Buffer {
  const content = readFileSync(join(FOLDER, file));
  return file.endsWith('.gz') ? gunzipSync(content) : content;
}

function errorLineOf(content: Buffer): number {
  const indexer = new LogIndexer(ERRORS);
  indexer.add(content);
  indexer.end();
  return indexer.excerpt()?.errorLine ?? NaN;
}

/** As runners from 5.29 on write logs. */
function timed(content: Buffer): Buffer {
  const lines = content.toString('utf8').trimEnd().split('\n');
  return Buffer.from(lines.map((line, index) => `${String(index).padStart(3)}s ${line}\n`).join(''));
}

it('the logs are many, of many kinds, and each is in the table', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(LOGS.map(({ file }) => file).sort());
  expect(LOGS.length).toBeGreaterThanOrEqual(150);
  expect(new Set(LOGS.map(({ ecosystem }) => ecosystem)).size).toBeGreaterThanOrEqual(50);
  expect(LOGS.filter(({ licence, line }) => licence === '' || !(line >= 1))).toEqual([]);
});

it.each([
  ['tuning', 100],
  ['aside', 55],
])('the excerpt shows the right line of the logs of the part "%s"', (part, least) => {
  const logs = LOGS.filter((log) => log.part === part);
  expect(logs.length).toBeGreaterThanOrEqual(least);
  const rows = logs.map(({ file, line }) => ({ file, line, found: errorLineOf(contentOf(file)) }));
  const misses = rows.filter(({ line, found: at }) => line !== at);
  const far = rows.filter(({ line, found: at }) => !(Math.abs(line - at) <= NEAR));
  const share = (count: number): number => 1 - count / logs.length;
  expect({ misses, isEnough: share(misses.length) >= 0.85 }).toMatchObject({ isEnough: true });
  expect({ far, isEnough: share(far.length) >= 0.95 }).toMatchObject({ isEnough: true });
});

it.each(LOGS.map(({ file }) => file))('the time before each line of %s changes nothing', (file) => {
  const content = contentOf(file);
  expect(errorLineOf(timed(content))).toBe(errorLineOf(content));
});
