import type { Check } from '../check';
import { equal, ok, status } from '../expectations';
import { type Instance } from '../instance';

interface PackageRow {
  id: number;
  name: string;
  backend: string | null;
  removed: boolean;
}

async function packages(it: Instance, query = '', key?: string): Promise<PackageRow[]> {
  return status(await it.api(`/packages${query}`, { key }), 200).json<PackageRow[]>();
}

interface QueueRow {
  suite: string;
  arch: string;
  waiting: number;
  [key: string]: unknown;
}

export const listingChecks: Check[] = [
  {
    id: 'PKG-01',
    title: 'packages are an array of records with id, name, backend and removed',
    async run(it) {
      const name = it.name();
      await it.submitOne({ package: name });
      const answer = status(await it.api('/packages'), 200);
      equal(answer.type, 'application/json', `${answer.name}: content type`);
      const row = answer.json<PackageRow[]>().find((other) => other.name === name);
      ok(row, 'a requested package is not listed');
      ok(Number.isInteger(row.id), `id ${row.id}`);
      equal([row.backend, row.removed], [null, false], 'backend and removed');
    },
  },
  {
    id: 'PKG-02',
    title: 'the backend filter: by name, empty for none, unknown for an empty list',
    async run(it) {
      const name = it.name();
      await it.submitOne({ package: name });
      equal(await packages(it, '?backend=no-such-backend'), [], 'packages of an unknown backend');
      const without = await packages(it, '?backend=');
      ok(
        without.some((row) => row.name === name),
        'a package without backend is not listed with an empty filter',
      );
      ok(
        without.every((row) => row.backend === null),
        'the empty filter lists packages with a backend',
      );
      const all = await packages(it);
      const own = all.find((row) => row.backend !== null);
      if (!own) return;
      const filtered = await packages(it, `?backend=${encodeURIComponent(own.backend!)}`);
      equal(
        filtered,
        all.filter((row) => row.backend === own.backend),
        `packages of ${own.backend}`,
      );
    },
  },
  {
    id: 'PKG-03',
    title: 'a name known from private runs only is shown to their key alone',
    needs: ['other key'],
    async run(it) {
      const name = it.name();
      await it.submitOne({ package: name, is_private: true });
      const isListed = async (key?: string): Promise<boolean> =>
        (await packages(it, '', key)).some((row) => row.name === name);
      equal(
        [await isListed(), await isListed(it.otherKey)],
        [true, false],
        'shown to the own key, and to another',
      );
      await it.submitOne({ package: name });
      equal(await isListed(it.otherKey), true, 'shown once a public run is there');
    },
  },
  {
    id: 'PKG-04',
    title: 'requests for the same new packages at the same time are all accepted',
    async run(it) {
      const names = Array.from({ length: 20 }, () => it.name());
      const lists = [names, [...names].reverse(), names, [...names].reverse()];
      const answers = await Promise.all(
        lists.map((list) => it.post(list.map((name) => ({ package: name })))),
      );
      for (const answer of answers) status(answer, 201);
    },
  },
  {
    id: 'QUE-01',
    title:
      'queues are an array with lengths, ages, rate, estimate, pause and reasons for each suite and architecture',
    async run(it) {
      await it.submitOne();
      const rows = status(await it.api('/queues'), 200).json<QueueRow[]>();
      const row = rows.find((other) => other.suite === it.suite && other.arch === it.quietArch);
      ok(row, 'the queue of the run is not listed');
      const keys = [
        'suite',
        'arch',
        'waiting',
        'running',
        'oldest_at',
        'rate_per_hour',
        'estimate_seconds',
        'paused',
        'reasons',
      ];
      equal(
        keys.filter((key) => !(key in row)),
        [],
        'missing keys',
      );
      for (const key of ['waiting', 'running'])
        ok(Number.isInteger(row[key]), `${key} is ${String(row[key])}`);
      ok(Array.isArray(row.reasons), 'reasons is no array');
    },
  },
  {
    id: 'QUE-02',
    title: 'a waiting run counts, and no longer once it is cancelled; a private one counts for no other user',
    needs: ['idle architecture', 'other key'],
    async run(it) {
      const waiting = async (): Promise<number> => {
        const rows = status(await it.api('/queues', { key: it.otherKey }), 200).json<QueueRow[]>();
        return rows.find((row) => row.suite === it.suite && row.arch === it.quietArch)?.waiting ?? 0;
      };
      const before = await waiting();
      await it.submitOne({ is_private: true });
      equal(await waiting(), before, 'the length that another key sees after a private run was asked for');
      const runId = await it.submitOne();
      await it.submitOne();
      equal(await waiting(), before + 2, 'the length');
      status(await it.api(`/test/${runId}`, { method: 'DELETE' }), 200);
      equal(await waiting(), before + 1, 'the length after a cancellation');
    },
  },
];
