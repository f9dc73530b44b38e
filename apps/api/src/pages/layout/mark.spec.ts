import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mark, shapeOf } from './mark';
import { ASSETS_PATH } from './assets';

const sprite = readFileSync(join(ASSETS_PATH, 'sprite.svg'), 'utf8');

it.each([
  'pass',
  'fail',
  'tmpfail',
  'neutral',
  'queued',
  'leased',
  'running',
  'PASS',
  'FAIL',
  'SKIP',
  'FLAKY',
])('the word %s has a shape in the sprite and stands beside it', (word) => {
  expect(sprite).toContain(`<symbol id="${shapeOf(word)}"`);
  expect(mark(word, '/s.svg').text).toMatch(
    new RegExp(`<use href="/s\\.svg#${shapeOf(word)}"></use></svg>${word}</span>$`),
  );
});

it('different statuses have different shapes', () => {
  const words = ['pass', 'fail', 'tmpfail', 'neutral', 'queued', 'running', 'FLAKY'];
  expect(new Set(words.map(shapeOf)).size).toBe(words.length);
});
