import { noticeHtml } from './notices';

it.each([
  ['plain & simple', 'plain &amp; simple'],
  [
    '*soon*: `apt` is [updated](https://example.org/a)',
    '<em>soon</em>: <code>apt</code> is <a href="https://example.org/a">updated</a>',
  ],
  ['see [the queues](/status/queue/)', 'see <a href="/status/queue/">the queues</a>'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
  ['![x](https://example.org/a.png)', '!<a href="https://example.org/a.png">x</a>'],
])('the notice %j is shown as %j', (text, html) => {
  expect(noticeHtml(text).text).toBe(html);
});
