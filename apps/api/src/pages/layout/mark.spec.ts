import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mark, shapeOf, tabIcon } from './mark';
import { ASSETS_PATH } from './assets';

const sprite = readFileSync(join(ASSETS_PATH, 'sprite.svg'), 'utf8');

it.each(['pass', 'fail', 'tmpfail', 'neutral', 'waiting', 'running', 'PASS', 'FAIL', 'SKIP', 'FLAKY'])(
  'the word %s has a shape in the sprite and stands beside it',
  (word) => {
    expect(sprite).toContain(`<symbol id="${shapeOf(word)}"`);
    expect(mark(word, '/s.svg').text).toMatch(
      new RegExp(`<use href="/s\\.svg#${shapeOf(word)}"></use></svg>${word}</span>$`),
    );
  },
);

it('different statuses have different shapes', () => {
  const words = ['pass', 'fail', 'tmpfail', 'neutral', 'waiting', 'running', 'FLAKY'];
  expect(new Set(words.map(shapeOf)).size).toBe(words.length);
});

it.each([
  ['pass', 'icon_pass.svg'],
  ['fail', 'icon_fail.svg'],
  ['tmpfail', 'icon_tmpfail.svg'],
  ['absent', 'icon_neutral.svg'],
  ['cancelled', 'icon_neutral.svg'],
  ['waiting', 'icon_queued.svg'],
  ['running', 'icon_running.svg'],
])('the tab of a run that is %s has the icon %s', (word, name) => {
  expect([tabIcon(word), existsSync(join(ASSETS_PATH, name))]).toEqual([name, true]);
});
