import type { Check } from '../check';
import { equal, includes, matches, ok, status } from '../expectations';
import { prefixOf, type Instance } from '../instance';
import { allCacheable, statusPath } from './public-files';

interface StatusRow {
  package: string;
  status: string;
  message: string;
  previous_status: string | null;
  run_id: number;
  [key: string]: unknown;
}

async function rowOf(it: Instance, name: string): Promise<StatusRow | undefined> {
  const rows = status(await it.fetch(statusPath(it, 'packages.json')), 200).json<StatusRow[]>();
  return rows.find((row) => row.package === name);
}

export const statusChecks: Check[] = [
  {
    id: 'STA-01',
    title: 'packages.json has one row per package with what its readers take from it',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const run = await it.finished({ package: name, trigger: 'some/1' });
      const row = await rowOf(it, name);
      includes(
        row,
        { status: run.status, version: run.version, date: run.date, trigger: 'some/1', run_id: run.run_id },
        'the row',
      );
      ok(typeof row!.message === 'string' && row!.message !== '', 'the message is empty');
      equal(row!.duration_seconds, run.duration_seconds, 'duration_seconds');
      matches(row!.duration_human, /^\d+h \d+m \d+s$/, 'duration_human');
      equal(row!.previous_status, null, 'previous_status of the first run');
    },
  },
  {
    id: 'STA-02',
    title: 'previous_status is how the run before ended',
    needs: ['stub'],
    async run(it) {
      const name = it.name('fail');
      const first = await it.finished({ package: name });
      await it.finished({ package: name, trigger: 'exit:0' });
      includes(await rowOf(it, name), { status: 'pass', previous_status: first.status }, 'the row');
      await it.finished({ package: name, trigger: 'exit:4' });
      includes(await rowOf(it, name), { status: 'fail', previous_status: 'pass' }, 'the row');
    },
  },
  {
    id: 'STA-03',
    title: 'status.json counts the packages by status',
    needs: ['stub'],
    async run(it) {
      type Counts = Record<string, number | string>;
      const read = async (): Promise<Counts> =>
        status(await it.fetch(statusPath(it, 'status.json')), 200).json<Counts>();
      const before = await read();
      for (const key of ['pass', 'fail', 'neutral', 'tmpfail', 'total'])
        ok(Number.isInteger(before[key]), `${key} is ${before[key]}`);
      matches(before.date, /^\d{4}-\d\d-\d\dT/, 'date');
      await it.finishedAll([{ package: it.name() }, { package: it.name('fail') }]);
      const after = await read();
      const grown = (key: string): number => Number(after[key]) - Number(before[key]);
      equal(
        ['pass', 'fail', 'tmpfail', 'total'].map(grown),
        [1, 1, 0, 2],
        'growth of pass, fail, tmpfail and total',
      );
    },
  },
  {
    id: 'STA-04',
    title: 'history.json of the status has counts per day',
    needs: ['finishing runs'],
    async run(it) {
      await it.finished({ package: it.name() });
      const rows = status(await it.fetch(statusPath(it, 'history.json')), 200).json<
        Record<string, unknown>[]
      >();
      ok(Array.isArray(rows) && rows.length > 0, 'there is no day in it');
      for (const row of rows) {
        matches(row.date, /^\d{4}-\d\d-\d\d/, 'date');
        ok(Number.isInteger(row.total) && Number.isInteger(row.pass), `a row is ${JSON.stringify(row)}`);
      }
    },
  },
  {
    id: 'STA-05',
    title: 'the status files can be cached, for less than an hour',
    needs: ['finishing runs'],
    async run(it) {
      await it.finished({ package: it.name() });
      const paths = ['packages.json', 'status.json', 'history.json'].map((file) => statusPath(it, file));
      for (const answer of await allCacheable(it, paths)) {
        const age = Number(/max-age=(\d+)/.exec(answer.header('cache-control')!)?.[1]);
        ok(age >= 0 && age < 3600, `${answer.name}: Cache-Control is ${answer.header('cache-control')}`);
      }
    },
  },
  {
    id: 'STA-06',
    title: 'public runs change packages.json and its ETag, private and pinned ones do not',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      await it.finished({ package: name });
      const before = status(await it.fetch(statusPath(it, 'packages.json')), 200);
      await it.finished({ package: name, is_private: true });
      await it.finished({ package: it.name(), is_private: true });
      await it.finished({ package: name, 'pin-packages': [['src:hello', it.suite]] });
      const after = status(await it.fetch(statusPath(it, 'packages.json')), 200);
      const etag = before.header('etag')!;
      equal([after.text === before.text, after.header('etag')], [true, etag], 'same body, and ETag');
      await it.finished({ package: name });
      const freshAnswer = await it.fetch(statusPath(it, 'packages.json'), {
        headers: { 'If-None-Match': etag },
      });
      ok(status(freshAnswer, 200).header('etag') !== etag, 'the ETag did not change with a public run');
    },
  },
  {
    id: 'STA-07',
    title: 'an unknown suite or architecture has no status files',
    async run(it) {
      const odd = [`${it.suite}%00`, '..%2f', '__proto__'].map((suite) => `${suite}/${it.arch}`);
      for (const folder of [`no-such/${it.arch}`, `${it.suite}/no-such`, ...odd]) {
        for (const file of ['packages.json', 'status.json', 'history.json'])
          status(await it.fetch(`/data/status/${folder}/${file}`), 404);
        status(await it.fetch(`/status/${folder}/`), 404);
      }
    },
  },
  {
    id: 'FEE-01',
    title: "changes of a package's status are an Atom feed",
    needs: ['stub'],
    async run(it) {
      const name = it.name();
      await it.finished({ package: name });
      await it.finished({ package: name, trigger: 'exit:4 version:2.0-7' });
      const answer = status(await it.fetch(`/data/feeds/${prefixOf(name)}/${name}.xml`), 200);
      matches(answer.type, /^application\/(atom\+)?xml$/, `${answer.name}: content type`);
      matches(answer.text, /<feed[^>]*xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/, 'the root element');
      ok(
        /<entry/.test(answer.text) && answer.text.includes(name) && answer.text.includes('2.0-7'),
        'the change is not in the feed',
      );
      ok(answer.header('etag'), `${answer.name}: there is no ETag`);
    },
  },
  {
    id: 'FEE-02',
    title: 'a feed of all packages holds the changes of each, and no repeated status',
    needs: ['stub'],
    async run(it) {
      const name = it.name();
      await it.finished({ package: name });
      await it.finished({ package: name, trigger: 'exit:4' });
      await it.finished({ package: name, trigger: 'exit:4 version:9.9-9' });
      const answer = status(await it.fetch('/data/feeds/all-packages.xml'), 200);
      ok(answer.text.includes(name), 'the change is not in the feed');
      const path = `/data/feeds/${prefixOf(name)}/${name}.xml`;
      const own = status(await it.fetch(path), 200);
      ok(!own.text.includes('9.9-9'), 'a repeated status is in the feed');
      await it.finished({ package: name, trigger: 'exit:4' });
      const headers = { 'If-None-Match': own.header('etag')! };
      for (const method of ['GET', 'HEAD']) status(await it.fetch(path, { method, headers }), 304);
    },
  },
];
