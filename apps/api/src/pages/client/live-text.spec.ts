import { LiveText } from './live-text';

const all = (...pieces: string[]) => {
  const text = new LiveText();
  return pieces.map((piece) => text.add(piece));
};

it('a live log is shown line by line, however it is cut into pieces, and the line that has not ended as well', () => {
  expect(all('one\ntw', 'o\nthree', '\n')).toEqual([
    { lines: ['one\n'], open: 'tw' },
    { lines: ['two\n'], open: 'three' },
    { lines: ['three\n'], open: '' },
  ]);
});

it('of a bar that overwrites itself the last state is shown', () => {
  expect(all('10%\r', '50%\r', '100%\r\n')).toEqual([
    { lines: [], open: '10%' },
    { lines: [], open: '50%' },
    { lines: ['100%\n'], open: '' },
  ]);
});

it('what is not seen in a live log is named, and what a terminal would obey is left out', () => {
  expect(all('\x1b[31mred\x1b[0m \u202eturned\x07 \x1b]8;;javascript:alert(1)\x07link\n')[0]!.lines).toEqual([
    'red [U+202E]turned\ufffd link\n',
  ]);
});

it('a long line of a live log is cut, and an endless one is not remembered', () => {
  const text = new LiveText();
  for (let pieces = 0; pieces < 50; pieces += 1) text.add('x'.repeat(100_000));
  expect(text.add('\n').lines[0]).toHaveLength(2_003);
});
