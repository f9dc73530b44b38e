import { triggerLinks, workerLink } from './links';

it.each([
  ['glibc/2.40-4', '<a href="/triggers/glibc/2.40-4">glibc/2.40-4</a>'],
  ['gcc/1:2~b+c', '<a href="/triggers/gcc/1%3A2~b%2Bc">gcc/1:2~b+c</a>'],
  ['gcc/1 perl/2', '<a href="/triggers/gcc/1">gcc/1</a> <a href="/triggers/perl/2">perl/2</a>'],
  ['by hand gcc/1', 'by hand <a href="/triggers/gcc/1">gcc/1</a>'],
  ['migration-reference/0', 'migration-reference/0'],
  ['', ''],
  ['gcc/', 'gcc/'],
  ['gcc/1/2', 'gcc/1/2'],
  ['gcc/..', 'gcc/..'],
  ['//evil/1', '//evil/1'],
  ['gcc/1"onclick="x', 'gcc/1&quot;onclick=&quot;x'],
  ['<b>/1', '&lt;b&gt;/1'],
  ['javascript:x/1', 'javascript:x/1'],
  ['gcc/1…', 'gcc/1…'],
  [`gcc/1 ${'x'.repeat(255)}`, `gcc/1 ${'x'.repeat(255)}`],
])('of the trigger %j the words lead to their pages that have one', (trigger, html) => {
  expect(triggerLinks(trigger).text).toBe(html);
});

it('the name of a worker leads to its page, and what is no name is text', () => {
  expect(workerLink('worker-1').text).toBe('<a href="/status/workers/worker-1">worker-1</a>');
  expect(workerLink('"><i>').text).toBe('&quot;&gt;&lt;i&gt;');
});
