import { finishedRunRecord } from '@test/support/run-record';
import { Assets } from '../layout/assets';
import { Templates } from '../layout/templates';
import { changesView, ENTRIES_SHOWN_MAX, ENTRY_LENGTH_SHOWN_MAX } from './changes-view';

const entry = (version: string, changes = '  * New.') => ({
  version,
  distribution: 'unstable',
  urgency: 'low',
  changes,
  author: 'Ada',
  date: null,
});
const ASSETS = new Assets(
  new Map(
    ['style.css', 'client.js', 'sprite.svg', 'icon.svg'].map((name) => [name, `/assets/${name}`] as const),
  ),
);
const run = finishedRunRecord({ package: 'hello', version: '10-1' });
const LINKS = [
  { name: 'Tracker', url: 'https://tracker.example/{package}' },
  { name: 'Changelog', url: 'https://sources.example/{package}/{version}/' },
];

it('the changes are those since the version before, and other sites have that version too', () => {
  const changelog = ['10-1', '9-1', '8-1'].map((version) => entry(version));
  const view = changesView(run, { version: '10-1', before: '8-1' }, changelog, LINKS);
  expect(view.entries.map(({ version }) => version)).toEqual(['10-1', '9-1']);
  expect(view.more).toBe(0);
  expect(view.linksBefore).toEqual([{ name: 'Changelog', url: 'https://sources.example/hello/8-1/' }]);
});

it('many entries and long ones are cut', () => {
  const changelog = Array.from({ length: ENTRIES_SHOWN_MAX + 3 }, (_, n) =>
    entry(`${10 - n}-1`, 'x'.repeat(4_000)),
  );
  const view = changesView(run, { version: '10-1', before: '1-1' }, changelog, LINKS);
  expect(view.entries).toHaveLength(ENTRIES_SHOWN_MAX);
  expect(view.more).toBe(3);
  expect(view.entries[0]).toMatchObject({ isCut: true, changes: 'x'.repeat(ENTRY_LENGTH_SHOWN_MAX) });
});

it('without a version before, only the entry of the version itself is shown, and no links', () => {
  const view = changesView(run, { version: '10-1', before: null }, [entry('10-1'), entry('9-1')], LINKS);
  expect(view.entries.map(({ version }) => version)).toEqual(['10-1']);
  expect(view.linksBefore).toEqual([]);
});

it('the page names the version before in its links to other sites, and how many entries it does not show', () => {
  const changelog = Array.from({ length: 8 }, (_, n) => entry(`${10 - n}-1`, '  * <i>New</i>.'));
  const changes = changesView(run, { version: '10-1', before: '2-1' }, changelog, LINKS);
  const html = new Templates(ASSETS).render('triggers/changes', { changes });
  expect(html).toContain(
    '<a href="https://sources.example/hello/2-1/" rel="nofollow noopener">Changelog of 2-1</a>',
  );
  expect(html).toContain('… and 3 more.');
  expect(html).toContain('  * &lt;i&gt;New&lt;/i&gt;.');
});
