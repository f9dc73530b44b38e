import { bugOf } from './notes.dto';

it.each([
  ['123456', '#123456'],
  ['#1', '#1'],
  ['https://bugs.example/x?y=1', 'https://bugs.example/x?y=1'],
  ['http://bugs.example', 'http://bugs.example/'],
])('%s is a reference to a bug: %s', (text, bug) => {
  expect(bugOf(text)).toBe(bug);
});

it.each([
  '',
  '#0',
  '#12345678901',
  'bug 7',
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  'data:text/html,x',
  'ftp://bugs.example/',
  'mailto:a@example.org',
  '//bugs.example/',
  'https://user:secret@bugs.example/',
  'https://bugs.example/"onclick="x',
  'https://bugs.example/<script>',
  'https:\\\\bugs.example',
  'https://',
  `https://bugs.example/${'a'.repeat(300)}`,
])('%j is no reference to a bug', (text) => {
  expect(bugOf(text)).toBeNull();
});
