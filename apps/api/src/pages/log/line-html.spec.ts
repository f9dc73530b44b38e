import { LineHtml, searchPattern } from './line-html';

const html = (...lines: string[]) => {
  const line = new LineHtml();
  return lines.map((each) => line.of(each).toString());
};

it.each([
  ['markup', '<script>alert("1")</script>&', '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;'],
  ['a progress bar', '10%\r50%\r100%\r', '100%'],
  ['a colour behind its last carriage return', '\x1b[31m10%\rred\r\x1b[0m', 'red'],
  ['a spinner', '\x1b[1G|\x1b[2K\x1b[1Gdone', 'done'],
  ['a link of the terminal', '\x1b]8;;javascript:alert(1)\x07text\x1b]8;;\x07', 'text'],
  ['an unfinished command', 'a\x1b]0;title', 'a'],
  ['a title', '\x1b]0;<b>\x1b\\x', 'x'],
  ['moves of the cursor', 'a\x1b[2K\x1b[1;1Hb\x1b(Bc', 'abc'],
  ['control characters', 'a\0b\x08c\x7fd\x9be', 'a\ufffdb\ufffdc\ufffdd\ufffde'],
  ['a turned order', 'a\u202eb', 'a<span class="hidden-character">U+202E</span>b'],
  ['a space that is not seen', 'a\u200bb', 'a<span class="hidden-character">U+200B</span>b'],
  ['half a character', 'a\ud800', 'a\ufffd'],
  [
    'a link',
    'see http://a.example/x?y=1&z=2.',
    'see <a href="http://a.example/x?y=1&amp;z=2" rel="nofollow noopener noreferrer">http://a.example/x?y=1&amp;z=2</a>.',
  ],
  [
    'a link of another kind',
    'javascript:alert(1) ftp://x file:///etc',
    'javascript:alert(1) ftp://x file:///etc',
  ],
  ['a colour', '\x1b[31mred\x1b[0m plain', '<span class="fg-ansi-red">red</span> plain'],
  ['a bold one', '\x1b[1;32mok\x1b[0m', '<span class="fg-ansi-green ansi-bold">ok</span>'],
  ['markup in a colour', '\x1b[31m<b>\x1b[0m', '<span class="fg-ansi-red">&lt;b&gt;</span>'],
])('a line with %s shows only its text', (_what, text, lineHtml) => {
  expect(html(text)).toEqual([lineHtml]);
});

it('a colour goes on in the next line, until it ends', () => {
  expect(html('\x1b[31ma', 'b', 'c\x1b[0md', 'e')).toEqual([
    '<span class="fg-ansi-red">a</span>',
    '<span class="fg-ansi-red">b</span>',
    '<span class="fg-ansi-red">c</span>d',
    'e',
  ]);
});

it('a copy goes on in the same colours, and changes those of no other', () => {
  const line = new LineHtml();
  line.pass('\x1b[1;31mpassed over');
  expect(line.copy().of('a\x1b[0mb').text).toBe('<span class="fg-ansi-red ansi-bold">a</span>b');
  expect(line.copy().of('\x1b[4mc').text).toBe('<span class="fg-ansi-red ansi-bold ansi-underline">c</span>');
  expect(line.of('d').text).toBe('<span class="fg-ansi-red ansi-bold">d</span>');
});

it('what each line says again is one decoration', () => {
  const line = new LineHtml();
  for (let lines = 0; lines < 100; lines += 1) line.of('\x1b[1mbold');
  expect(line.of('\x1b[22mplain').text).toBe('plain');
});

it('no style comes from a log, whatever colour it asks for', () => {
  const [line] = html('\x1b[38;2;1;2;3mx\x1b[48;5;200my\x1b[38;5;"onclick=1"mz');
  expect(line).not.toMatch(/style|onclick=1"? ?>/);
  expect(line).not.toContain('"onclick');
});

it('a long line is cut, and a hostile one takes no time', () => {
  expect(html('x'.repeat(1_000_000))[0]).toHaveLength(2_000);
  html(
    '\x1b['.repeat(500_000),
    'http://'.repeat(300_000),
    '\x1b]'.repeat(500_000),
    '\u202e'.repeat(1_000_000),
  );
});

it('marks the text of a search wherever it is: beside colours, in links and as it is written', () => {
  const of = (text: string, needle: string): string => new LineHtml().of(text, searchPattern(needle)).text;
  expect(of('a Needle <b> needle', 'NEEDLE')).toBe(
    'a <mark class="found">Needle</mark> &lt;b&gt; <mark class="found">needle</mark>',
  );
  expect(of('\x1b[31mred needle\x1b[0m needle', 'needle')).toBe(
    '<span class="fg-ansi-red">red <mark class="found">needle</mark></span> <mark class="found">needle</mark>',
  );
  expect(of('http://a.example/needle', 'needle')).toContain(
    'href="http://a.example/needle" rel="nofollow noopener noreferrer">http://a.example/<mark class="found">needle</mark></a>',
  );
  expect(of('1+1 <script>', '<script>')).toBe('1+1 <mark class="found">&lt;script&gt;</mark>');
  expect(of('(a|b)* [x] \\ ^$ a-b', '(a|b)* [x] \\ ^$ a-b')).toBe(
    '<mark class="found">(a|b)* [x] \\ ^$ a-b</mark>',
  );
  expect(of('nothing', '.*')).toBe('nothing');
});
