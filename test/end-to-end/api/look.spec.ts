import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser } from '@test/support/browser';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const LOOK = '/assets/look.css';

it('a look that a reader chooses is remembered by the browser, and leads back to where it was chosen', async () => {
  const browser = new Browser(api.url);
  const place = '/status/?a=1&b=2';
  const answer = await browser.submit(place, '/-/look', { look: 'dark' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, place]);
  const [set = ''] = answer.headers.getSetCookie();
  for (const attribute of ['look=dark', 'Max-Age=31536000', 'Path=/', 'HttpOnly', 'SameSite=Lax'])
    expect(set.split('; ')).toContain(attribute);
  expect(await browser.textOf(LOOK)).toContain('color-scheme: dark;');
  await browser.submit(place, '/-/look', { look: 'light' });
  expect(await browser.textOf(LOOK)).toContain('color-scheme: light;');
  await browser.submit(place, '/-/look', { look: 'system' });
  expect([browser.cookie('look'), await browser.textOf(LOOK)]).toEqual([
    undefined,
    await (await api.fetch(LOOK)).text(),
  ]);
});

it('a look is in a style of its own that caches keep for no other user, and no page differs by it', async () => {
  const tags = new Set<string | null>();
  const pages = new Set<string>();
  for (const cookie of [
    '',
    'look=light',
    'a=b; look=dark',
    'look=dark; a=b',
    'look=../style',
    'xlook=dark',
  ]) {
    const headers = cookie === '' ? {} : { Cookie: cookie };
    const style = await api.fetch(LOOK, { headers });
    expect([style.status, style.headers.get('cache-control'), style.headers.get('vary')]).toEqual([
      200,
      'private, no-cache',
      expect.stringContaining('Cookie'),
    ]);
    tags.add(style.headers.get('etag'));
    const page = await api.fetch('/status/', { headers });
    pages.add(`${page.headers.get('etag')} ${page.headers.get('vary')} ${await page.text()}`);
  }
  expect([tags.size, pages.size]).toEqual([3, 1]);
});

it('a look is chosen on pages of this server alone, of those that there are, and leads to no other server', async () => {
  const send = (values: Record<string, string>, site = 'same-origin'): Promise<Response> =>
    new Browser(api.url).post('/-/look', values, { 'Sec-Fetch-Site': site });
  const foreign = await send({ look: 'dark', back: '/' }, 'cross-site');
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []]);
  const unknown = await send({ look: 'pink', back: '/' });
  expect([unknown.status, await unknown.text()]).toEqual([
    400,
    expect.stringContaining('look must be one of light, dark, system, not &quot;pink&quot;.'),
  ]);
  for (const back of ['//evil.example', 'https://evil.example/', '/\\evil.example'])
    expect((await send({ look: 'dark', back })).headers.get('location')).toBe('/');
});
