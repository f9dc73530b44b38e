import type { LogLine } from '../../logs/line-reader';
import { sectionViews } from './log-view';

const line = (number: number): LogLine => ({ number, text: 'a line', bytes: 6 });

it('the browser knows the height of the lines before the one at which a page opens', () => {
  const lines = Array.from({ length: 1_000 }, (_none, index) => line(5_901 + index));
  const index = { sections: [], lines: 90_000, marks: [] };
  const [section] = sectionViews(index, lines, 6_001, '/log?');
  const isShown = section!.blocks!.map((block) => String(block).startsWith('<pre class="lines shown">'));
  expect(isShown).toEqual([true, true, ...Array.from({ length: 8 }, () => false)]);
});
