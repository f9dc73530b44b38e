import type { StripEntry } from '@proctor/database';
import { strip, stripLabel } from './strip';

const cell = (verdict: StripEntry['verdict'], isNewVersion = false, isPinned = false): StripEntry => ({
  verdict,
  isNewVersion,
  isPinned,
});

it('the label of a strip counts its runs and says since when it fails', () => {
  const cells = [cell('pass'), cell('pass'), cell('tmpfail'), cell('fail')];
  expect(stripLabel(cells, '2.10-3')).toBe('4 runs: 2 pass, 1 fail, 1 tmpfail; now failing since 2.10-3');
  expect(stripLabel([cell('pass')], '')).toBe('1 run: 1 pass');
  expect(stripLabel([], '')).toBe('0 runs');
});

it('a strip draws the newest run at its right edge, is as wide as its runs, and has no more than thirty', () => {
  const picture = strip([cell('pass'), cell('fail')], '/here/').text;
  expect(picture).toContain('width="12" height="18"');
  expect(picture).toContain('<path class="pass" d="M1 9h4v7h-4z"/>');
  expect(picture).toContain('<path class="fail" d="M7 2h4v14h-4z"/>');
  const many = strip(
    Array.from({ length: 40 }, () => cell('pass')),
    '/here/',
  ).text;
  expect(many.match(/M\d+ 9h4/g)).toHaveLength(30);
  expect(many).toContain('aria-label="30 runs: 30 pass"');
});

it('a strip has a tick where the version changed and a dot under a pinned run', () => {
  const picture = strip([cell('pass'), cell('pass', true), cell('fail', false, true)], '/here/').text;
  expect(picture).toContain('<path class="tick" d="M6 0v2"/>');
  expect(picture).toContain('<path class="pinned" d="M14 17h2"/>');
});

it('no version and no address breaks out of the label of a strip', () => {
  const picture = strip([cell('fail')], '/"><script>', '"><script>').text;
  expect(picture).not.toContain('<script>');
});
