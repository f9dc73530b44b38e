import { gunzipSync } from 'node:zlib';
import type { Check } from '../check';
import { equal, includes, ok, status } from '../expectations';
import { asListed, type Instance, type Result } from '../instance';
import { allCacheable, filePath, latest } from './public-files';

const LATEST_LOG = 'latest-autopkgtest/log.gz';

async function history(it: Instance, name: string): Promise<Result[]> {
  return status(await it.fetch(it.dataPath(name, 'history.json')), 200).json<Result[]>();
}

export const dataChecks: Check[] = [
  {
    id: 'DAT-01',
    title: 'latest.json is the newest finished public run of the package, for everybody',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      await it.finished({ package: name });
      const second = await it.finished({ package: name });
      const run = asListed(second);
      const document = await latest(it, name);
      includes(
        document,
        { run_id: run.run_id, status: run.status, version: run.version, date: run.date, package: name },
        'latest.json',
      );
      equal(
        Object.keys(run).filter((key) => !(key in document!)),
        [],
        'missing keys',
      );
    },
  },
  {
    id: 'DAT-02',
    title: 'latest.json is null where nothing has finished, and history.json is empty',
    async run(it) {
      const name = it.name();
      await it.submitOne({ package: name });
      const arch = it.quietArch;
      equal(status(await it.fetch(it.dataPath(name, 'latest.json', arch)), 200).json(), null, 'latest.json');
      equal(status(await it.fetch(it.dataPath(name, 'history.json', arch)), 200).json(), [], 'history.json');
      status(await it.fetch(it.dataPath(name, LATEST_LOG, arch)), 404);
    },
  },
  {
    id: 'DAT-03',
    title: 'a pinned run is in the history with its pins, and never the latest',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const plain = await it.finished({ package: name });
      const pins = [['src:hello', it.suite]];
      const pinned = await it.finished({ package: name, 'pin-packages': pins });
      equal((await latest(it, name))?.run_id, plain.run_id, 'the latest run');
      const rows = await history(it, name);
      equal(
        rows.find((row) => row.run_id === pinned.run_id)?.pin_packages,
        pins,
        'pin_packages in the history',
      );
    },
  },
  {
    id: 'DAT-04',
    title: 'a run with extra sources is not the latest',
    needs: ['finishing runs', 'apt source', 'stub'],
    async run(it) {
      const name = it.name();
      const plain = await it.finished({ package: name });
      await it.finished({ package: name, 'extra-apt-sources': [it.aptSource] });
      equal((await latest(it, name))?.run_id, plain.run_id, 'the latest run');
    },
  },
  {
    id: 'DAT-05',
    title: 'the history is oldest first',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const runs = [];
      for (let index = 0; index < 3; index += 1) runs.push(await it.finished({ package: name }));
      equal(
        (await history(it, name)).map((row) => row.run_id),
        runs.map((run) => run.run_id),
        'the run ids',
      );
    },
  },
  {
    id: 'DAT-06',
    title: 'a long history is cut to its newest rows and links to the older ones',
    needs: ['history length', 'stub'],
    async run(it) {
      const name = it.name();
      const length = it.options.historyLength!;
      const all: number[] = [];
      for (let index = 0; index < length + 2; index += 1)
        all.push((await it.finished({ package: name })).run_id);
      const answer = status(await it.fetch(it.dataPath(name, 'history.json')), 200);
      equal(
        answer.json<Result[]>().map((row) => row.run_id),
        all.slice(2),
        'the newest',
      );
      const link = /<([^>]+)>\s*;[^,]*rel="?prev"?/.exec(answer.header('link') ?? '')?.[1];
      ok(link, `${answer.name}: Link is ${answer.header('link')}`);
      const { pathname, search } = new URL(link, `http://any${it.dataPath(name, 'history.json')}`);
      const older = status(await it.fetch(pathname + search), 200);
      equal(
        older.json<Result[]>().map((row) => row.run_id),
        all.slice(0, 2),
        'the older',
      );
      equal(older.header('link')?.includes('prev') ?? false, false, 'the oldest page links to older ones');
    },
  },
  {
    id: 'DAT-07',
    title: 'the latest log is text in gzip coding: tools save a gzip file, browsers show text',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const run = await it.finished({ package: name });
      for (const path of [it.dataPath(name, LATEST_LOG), filePath(run, 'log.gz')]) {
        const answer = status(await it.fetch(path), 200);
        equal(answer.header('content-encoding'), 'gzip', `${answer.name}: Content-Encoding`);
        equal(
          answer.header('content-type')?.toLowerCase(),
          'text/plain; charset=utf-8',
          `${answer.name}: Content-Type`,
        );
        equal(answer.header('content-length'), String(answer.body.length), `${answer.name}: Content-Length`);
        ok(gunzipSync(answer.body).length > 0, 'the log is empty');
      }
    },
  },
  {
    id: 'DAT-08',
    title: 'artifacts of a run are a gzip file',
    needs: ['finishing runs'],
    async run(it) {
      const run = await it.finished({ package: it.name() });
      const answer = status(await it.fetch(filePath(run, 'artifacts.tar.gz')), 200);
      equal(answer.type, 'application/gzip', `${answer.name}: content type`);
      equal(answer.header('content-encoding'), undefined, `${answer.name}: Content-Encoding`);
      ok(gunzipSync(answer.body).length > 0, 'there is nothing in it');
      equal(run.log_url, filePath(run, 'log.gz'), 'log_url');
      equal(run.artifacts_url, filePath(run, 'artifacts.tar.gz'), 'artifacts_url');
    },
  },
  {
    id: 'DAT-09',
    title: 'files of runs are served in ranges, of the gzip bytes',
    needs: ['finishing runs'],
    async run(it) {
      const run = await it.finished({ package: it.name() });
      for (const path of [filePath(run, 'log.gz'), filePath(run, 'artifacts.tar.gz')]) {
        const { body: whole } = status(await it.fetch(path), 200);
        const { length } = whole;
        for (const [range, first, last] of [
          ['bytes=10-19', 10, 19],
          ['bytes=5-', 5, length - 1],
          ['bytes=-5', length - 5, length - 1],
          ['bytes=3-999999999', 3, length - 1],
        ] as const) {
          const part = status(await it.fetch(path, { headers: { Range: range } }), 206);
          const name = `${part.name}, ${range}`;
          equal(part.header('content-range'), `bytes ${first}-${last}/${length}`, `${name}: Content-Range`);
          equal(part.header('content-length'), String(last - first + 1), `${name}: Content-Length`);
          ok(
            part.body.equals(whole.subarray(first, last + 1)),
            `${name}: other bytes than those of the file`,
          );
        }
        for (const Range of ['bytes=0-1,5-6', 'bytes=a-b', 'lines=1-2', 'bytes'])
          ok(
            status(await it.fetch(path, { headers: { Range } }), 200).body.equals(whole),
            `a part for ${Range}`,
          );
        const ofVersion = (version: string) =>
          it.fetch(path, { headers: { Range: 'bytes=0-1', 'If-Range': version } });
        status(await ofVersion((await it.fetch(path)).header('etag')!), 206);
        status(await ofVersion('"other"'), 200);
        const beyond = status(await it.fetch(path, { headers: { Range: `bytes=${whole.length}-` } }), 416);
        equal(beyond.header('content-range'), `bytes */${length}`, `${beyond.name}: Content-Range`);
        equal(beyond.header('content-encoding'), undefined, `${beyond.name}: Content-Encoding`);
        const head = status(await it.fetch(path, { method: 'HEAD' }), 200);
        equal(head.header('content-length'), String(length), `${head.name}: Content-Length`);
        equal(head.header('accept-ranges'), 'bytes', `${head.name}: Accept-Ranges`);
      }
    },
  },
  {
    id: 'DAT-10',
    title: 'files of packages and runs can be cached: ETag, Last-Modified, Cache-Control, 304',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const run = await it.finished({ package: name });
      const ofPackage = ['latest.json', 'history.json', LATEST_LOG].map((file) => it.dataPath(name, file));
      const ofRun = ['log.gz', 'artifacts.tar.gz'].map((file) => filePath(run, file));
      await allCacheable(it, [...ofPackage, ...ofRun]);
    },
  },
  {
    id: 'DAT-11',
    title: 'a finished run changes latest.json and its ETag at once',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      await it.finished({ package: name });
      const etag = (await it.fetch(it.dataPath(name, 'latest.json'))).header('etag')!;
      const second = await it.finished({ package: name });
      const answer = await it.fetch(it.dataPath(name, 'latest.json'), { headers: { 'If-None-Match': etag } });
      equal(status(answer, 200).json<Result>().run_id, second.run_id, 'the latest run');
    },
  },
  {
    id: 'DAT-12',
    title: 'the prefix of libfoo is libf, of lib l, of others their first letter; no other is found',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name('libwords');
      const run = await it.finished({ package: name });
      ok(it.dataPath(name, '').includes('/libw/'), 'the path of this check');
      equal((await latest(it, name))?.run_id, run.run_id, 'the latest run');
      const base = `/data/packages/${it.suite}/${it.arch}`;
      for (const prefix of ['l', 'lib', 'w', '-'])
        status(await it.fetch(`${base}/${prefix}/${name}/latest.json`), 404);
      equal(
        status(await it.fetch(`${base}/l/lib/latest.json`), 200).text.trim().length > 0,
        true,
        'latest.json of lib',
      );
      status(await it.fetch(`${base}/0/0ad/latest.json`), 200);
    },
  },
  {
    id: 'DAT-13',
    title: 'unknown suites, architectures and runs are not found, and no path leads out',
    async run(it) {
      const name = it.name();
      const dots = [
        '..%2f..%2f..%2fetc%2fpasswd',
        '%2e%2e/%2e%2e/%2e%2e/etc/passwd',
        '../../../../etc/passwd',
        '....//....//etc/passwd',
      ];
      const paths = [
        `/data/packages/no-such/${it.arch}/c/${name}/latest.json`,
        `/data/packages/${it.suite}/no-such/c/${name}/latest.json`,
        ...[`${it.suite}%00`, '__proto__', '%20'].map(
          (suite) => `/data/packages/${suite}/${it.arch}/c/${name}/latest.json`,
        ),
        `/data/packages/${it.suite}/${it.arch}/C/C${name}/latest.json`,
        `/data/packages/${it.suite}/${it.arch}/c/${name}/other.json`,
        `/data/autopkgtest/${it.suite}/${it.arch}/c/${name}/999999999/log.gz`,
        `/data/autopkgtest/${it.suite}/${it.arch}/c/${name}/abc/log.gz`,
        ...dots.flatMap((dot) => [
          `/data/${dot}`,
          `/data/autopkgtest/${it.suite}/${it.arch}/c/${dot}/1/log.gz`,
          `/data/autopkgtest/${it.suite}/${it.arch}/c/${name}/${dot}`,
        ]),
      ];
      for (const path of paths) {
        const answer = await it.fetch(path);
        status(answer, 400, 404);
        ok(!answer.text.includes('root:'), `${answer.name}: that is a file of the server`);
      }
    },
  },
];
