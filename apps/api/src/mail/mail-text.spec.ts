import { ENTRIES_MAX } from './digest';
import { confirmText, digestText } from './mail-text';

const SERVICE = { name: 'Tests & more', base: 'https://ci.example.org/ci' };
const LINKS = {
  settingsUrl: 'https://ci.example.org/ci/user/ada/packages',
  unsubscribeUrl: 'https://ci.example.org/ci/mail/unsubscribe/t',
};
const SINCE = new Date(Date.UTC(2026, 10, 5));

it('a mail says what changed since when, with links to pages', () => {
  const entry = { text: 'hello began to fail', errorLine: 'E: <b> & so', path: '/runs/7' };
  const { subject, text, html } = digestText([entry, { ...entry, errorLine: null }], SINCE, SERVICE, LINKS);
  expect(subject).toBe('hello began to fail, and 1 more');
  expect(text)
    .toBe(`What you follow at Tests & more (https://ci.example.org/ci) has changed since 2026-11-05T00:00:00.000Z:

hello began to fail
    E: <b> & so
https://ci.example.org/ci/runs/7

hello began to fail
https://ci.example.org/ci/runs/7

What you follow, and how often you get mail: https://ci.example.org/ci/user/ada/packages

End these mails: https://ci.example.org/ci/mail/unsubscribe/t
`);
  expect(html).toContain('<code>E: &lt;b&gt; &amp; so</code>');
  expect(html).toContain('<a href="https://ci.example.org/ci/runs/7">hello began to fail</a>');
});

it('words of others begin no line and no header, and hide nothing', () => {
  const hostile = 'x\r\nBcc: eve@example.org\u202e\u0007';
  const entry = { text: hostile, errorLine: hostile, path: '/runs/7' };
  const { subject, text } = digestText([entry], SINCE, SERVICE, LINKS);
  expect(subject).toBe('x Bcc: eve@example.org[U+202E]\ufffd');
  expect(text).not.toMatch(/^Bcc/m);
  expect(text).toContain('    x Bcc: eve@example.org[U+202E]\ufffd\n');
});

it('a mail has a bounded number of entries and says how many are left out', () => {
  const entries = Array.from({ length: ENTRIES_MAX + 3 }, (_, at) => ({
    text: `p${at} ${'x'.repeat(400)}`,
    errorLine: null,
    path: '/runs/7',
  }));
  const { subject, text, html } = digestText(entries, SINCE, SERVICE, LINKS);
  expect(text).toContain(`There are 3 more changes: ${LINKS.settingsUrl}`);
  expect([subject.length < 200, text.includes('p99 '), text.includes('p100 ')]).toEqual([true, true, false]);
  expect(html.match(/<li>/g)).toHaveLength(ENTRIES_MAX);
});

it('the mail that confirms an address names the user and the service', () => {
  const { subject, text, html } = confirmText('<ada>', SERVICE, `${SERVICE.base}/mail/confirm/t`);
  expect(text).toContain('The user <ada> of Tests & more (https://ci.example.org/ci) wants to get mail');
  expect(subject).toBe('Confirm your address for Tests & more');
  expect(html).toContain('<title>Tests &amp; more</title>');
  expect(html).toContain('The user &lt;ada&gt;');
  expect(html).toContain('href="https://ci.example.org/ci/mail/confirm/t"');
});
