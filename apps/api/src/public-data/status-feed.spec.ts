import { finishedRunRecord } from '@test/support/run-record';
import { statusFeed } from './status-feed';

const ADDRESS = {
  service: 'Tests of Example',
  base: 'https://ci.example',
  feedPath: '/data/feeds/h/hello.xml',
  pagePath: '/packages/h/hello/',
};
const feed = (changes: Parameters<typeof statusFeed>[2]) => statusFeed('of hello', ADDRESS, changes, 'pass');

it('a feed has an entry for each change, which links to its run', () => {
  const xml = feed([
    finishedRunRecord({ verdict: 'fail', message: 'a < b & c' }),
    finishedRunRecord({ runId: 6 }),
  ]);
  const url = 'https://ci.example/packages/h/hello/bookworm/amd64/';
  expect([...xml.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id)).toEqual([
    'https://ci.example/data/feeds/h/hello.xml',
    `${url}7/`,
    `${url}6/`,
  ]);
  expect(xml).toContain('<![CDATA[hello 2.10-3 FAIL on bookworm/amd64]]>');
  expect(xml).toContain('<![CDATA[<p>a &lt; b &amp; c</p>]]>');
  expect(xml.match(/<updated>.*?<\/updated>/g)).toEqual(
    Array(3).fill('<updated>2026-11-20T10:01:00.000Z</updated>'),
  );
  expect(xml).toContain('<name>Tests of Example</name>');
  expect(xml).toContain('<link rel="self" href="https://ci.example/data/feeds/h/hello.xml"/>');
  expect(xml).toContain('<link rel="alternate" href="https://ci.example/packages/h/hello/"/>');
});

it('a feed stays the same while there is no change', () => {
  expect(feed([])).toBe(feed([]));
  expect(feed([])).toContain('<updated>1970-01-01T00:00:00.000Z</updated>');
});

it('a feed is XML whatever a worker reported', () => {
  const xml = feed([finishedRunRecord({ version: ']]><x>&\u0001', message: '\u001b[31m]]>\ud800\uffff' })]);
  expect(xml).not.toMatch(/[^\P{Cc}\t\n\r]|\p{Surrogate}|\uffff/u);
  expect(xml).toContain('hello ]]&gt;&lt;x&gt;&amp;\ufffd PASS');
  expect(xml).not.toContain('<x>');
});
