import { htmlBelow } from './base-path';

it.each([
  ['<a href="/">x</a>', '<a href="/ci/">x</a>'],
  ['<a class="a" href="/packages/?x=/y">', '<a class="a" href="/ci/packages/?x=/y">'],
  ['<form method="post"\naction="/-/look">', '<form method="post"\naction="/ci/-/look">'],
  ['<script defer src="/assets/c.js">', '<script defer src="/ci/assets/c.js">'],
  ['<button formaction="/a">', '<button formaction="/ci/a">'],
  [
    '<ol data-events="/a/events?x" data-next-error="/b">',
    '<ol data-events="/ci/a/events?x" data-next-error="/ci/b">',
  ],
  ['<use href="/assets/s.svg#x">', '<use href="/ci/assets/s.svg#x">'],
])('below a path, %s becomes %s', (html, below) => {
  expect(htmlBelow('/ci', html)).toBe(below);
  expect(htmlBelow('', html)).toBe(html);
});

it.each([
  '<input data-hotkey="/">',
  '<a href="https://other.example/x">',
  '<a href="//other.example/x">',
  '<a href="#part">',
  '<input value="/packages/">',
  'text of others: href=&quot;/x&quot; and src=/y',
])('below a path, %s stays', (html) => {
  expect(htmlBelow('/ci', html)).toBe(html);
});
