import { LogIndexer } from '@proctor/result-files';
import type { LogIndex, LogSection } from '@proctor/result-files';
import { logMap } from './log-map';

const section = (line: number, status: LogSection['status'] = null): LogSection => {
  return { kind: 'test', name: 't', line, status, seconds: null };
};
const index = (change: Partial<LogIndex>): LogIndex => {
  return { ...new LogIndexer(/x/).end(), lines: 1_000, sections: [section(1)], ...change };
};
const mapOf = (change: Partial<LogIndex>, first = 1, last = 1_000): string =>
  String(logMap(index(change), { first, last }, '/log?'));

it('each part of a log has its place, its height, and the width and colour of its outcome', () => {
  const map = mapOf({ sections: [section(1), section(101, 'PASS'), section(501, 'FAIL')] });
  expect([...map.matchAll(/<rect [^>]*>/g)].map(([rect]) => rect)).toEqual([
    '<rect class="other" x="0" y="0" width="4" height="100"/>',
    '<rect class="pass" x="0" y="100" width="12" height="400"/>',
    '<rect class="fail" x="0" y="500" width="24" height="500"/>',
  ]);
});

it('errors are links to their lines, those near to each other one link', () => {
  const map = mapOf({ marks: [1, 2, 3, 501, 1_000] }, 400, 600);
  expect(
    [...map.matchAll(/<a href="([^"]*)" tabindex="-1"><title>([^<]*)</g)].map(([, ...link]) => link),
  ).toEqual([
    ['/log?from=1#L1', 'Error in line 1'],
    ['#L501', 'Error in line 501'],
    ['/log?from=1000#L1000', 'Error in line 1000'],
  ]);
});

it('the part that is shown is drawn, but not when it is all', () => {
  expect(mapOf({}, 301, 500)).toContain('<rect class="here" x="1" y="300" width="38" height="200"/>');
  expect(mapOf({})).not.toContain('here');
});

it('a short log has no map, and a hostile one no large map', () => {
  expect(logMap(index({ lines: 99 }), { first: 1, last: 99 }, '/log?')).toBeNull();
  const many = Array.from({ length: 2_000 }, (_, n) => n + 1);
  const map = mapOf({
    lines: 2_000,
    marks: many,
    sections: many.slice(0, 1_000).map((line) => section(line)),
  });
  expect(map.match(/<a /g)).toHaveLength(200);
  expect(map).not.toMatch(/style=|NaN/);
});
