import type { Check } from '../check';
import { urlencoded } from '../exchange';
import { equal, ok, status } from '../expectations';
import { prefixOf } from '../instance';
import { filePath, latest, statusPath } from './public-files';

export const privacyChecks: Check[] = [
  {
    id: 'PRI-01',
    title: 'files of a private run are for its own key, and no cache keeps them, until it is published',
    needs: ['finishing runs', 'other key'],
    async run(it) {
      const run = await it.finished({ package: it.name(), is_private: true });
      for (const file of ['log.gz', 'artifacts.tar.gz']) {
        const path = filePath(run, file);
        for (const headers of [{ 'If-None-Match': '*' }, { 'Auth-Key': it.otherKey }, { 'Auth-Key': '' }])
          status(await it.fetch(path, { headers }), 404);
        const own = { 'Auth-Key': it.options.key };
        const answer = status(await it.fetch(path, { headers: own }), 200);
        const again = { ...own, 'If-None-Match': answer.header('etag')! };
        for (const privateAnswer of [
          answer,
          status(await it.fetch(path, { method: 'HEAD', headers: own }), 200),
          status(await it.fetch(path, { headers: again }), 304),
        ])
          equal(
            privateAnswer.header('cache-control'),
            'private, no-store',
            `${privateAnswer.name}: Cache-Control`,
          );
      }
      status(await it.api('/test/publish', urlencoded({ run_ids: String(run.run_id) })), 200);
      for (const file of ['log.gz', 'artifacts.tar.gz']) status(await it.fetch(filePath(run, file)), 200);
    },
  },
  {
    id: 'PRI-02',
    title: 'no public path shows the name of a package with private runs only',
    needs: ['finishing runs', 'other key', 'idle architecture'],
    async run(it) {
      const name = it.name('libsecret');
      const run = await it.finished({ package: name, is_private: true });
      await it.submit([{ package: name, is_private: true }]);
      const prefix = prefixOf(name);
      const fixed = [
        '/',
        '/packages/',
        `/packages/${prefix}/`,
        '/status/',
        '/data/feeds/all-packages.xml',
        '/api/doc',
        '/health',
      ];
      const status = ['packages.json', 'status.json', 'history.json'].map((file) => statusPath(it, file));
      const visitedPaths = new Set<string>();
      const waiting = [...fixed, ...status, `/status/${it.suite}/${it.arch}/`, `/status/${it.suite}/`];
      for (
        let path = waiting.shift();
        path !== undefined && visitedPaths.size < 400;
        path = waiting.shift()
      ) {
        if (visitedPaths.has(path)) continue;
        visitedPaths.add(path);
        const answer = await it.fetch(path, { headers: { Accept: 'text/html,*/*' } });
        ok(answer.status < 500, `${answer.name}`);
        ok(!answer.text.includes(name), `${answer.name}: it shows ${name}`);
        if (answer.type !== 'text/html') continue;
        for (const [, href] of answer.text.matchAll(/href="(\/[^"#]*)"/g))
          waiting.push(href!.replaceAll('&amp;', '&'));
      }
      const direct = [`/packages/${prefix}/${name}/`, `/packages/${prefix}/${name}/${it.suite}/${it.arch}/`];
      const unknown = it.name('libsecret');
      for (const path of direct) {
        const [own, other] = [await it.fetch(path), await it.fetch(path.replaceAll(name, unknown))];
        equal(own.status, other.status, `${own.name}: the status, against that of an unknown package`);
        equal(
          own.text.replaceAll(name, '#'),
          other.text.replaceAll(unknown, '#'),
          `${own.name}: the document`,
        );
      }
      equal((await it.fetch(`${direct[1]}${run.run_id}/`)).status, 404, 'the page of the run');
      for (const path of ['/packages', '/queues', '/reject_list', '/test?since=0']) {
        const answer = await it.api(path, { key: it.otherKey });
        ok(!answer.text.includes(name), `${answer.name}: it shows ${name} to another key`);
      }
    },
  },
  {
    id: 'PRI-03',
    title: 'files of a package with a private run are as if there was none',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const open = await it.finished({ package: name });
      const before = await it.fetch(it.dataPath(name, 'history.json'));
      await it.finished({ package: name, is_private: true });
      equal((await latest(it, name))?.run_id, open.run_id, 'the latest run');
      const after = await it.fetch(it.dataPath(name, 'history.json'));
      equal(
        [after.text, after.header('etag')],
        [before.text, before.header('etag')],
        'history.json and its ETag',
      );
    },
  },
];
