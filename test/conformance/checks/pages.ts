import type { Check } from '../check';
import { becomes, equal, fail, matches, ok, status } from '../expectations';
import { prefixOf, type Instance } from '../instance';

const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

async function page(it: Instance, path: string): Promise<string> {
  const answer = status(await it.fetch(path, BROWSER), 200);
  equal(answer.type, 'text/html', `${answer.name}: content type`);
  return answer.text;
}

/** Whether a list of packages, which may have several pages, links the package. */
async function isListed(it: Instance, path: string, name: string): Promise<boolean> {
  const visitedPaths = new Set<string>();
  for (let next: string | undefined = path; next !== undefined && !visitedPaths.has(next);) {
    visitedPaths.add(next);
    const html = await page(it, next);
    if (html.includes(it.pagePath(name))) return true;
    next = /<a href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  }
  return false;
}

/** Text of the cells of the table rows that contain the text. */
function rows(html: string, containing: string): string[][] {
  return [...html.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)]
    .map(([, row]) => row!)
    .filter((row) => row.includes(containing))
    .map((row) =>
      [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)(?=<t[dh]|<\/tr>|$)/g)].map(([, cell]) => plain(cell!)),
    );
}

const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

const historyPath = (it: Instance, name: string): string => `${it.pagePath(name)}${it.suite}/${it.arch}/`;

export const pageChecks: Check[] = [
  {
    id: 'PAG-01',
    title:
      'packages, prefixes, a package, its history, a run and the status have pages, with and without slash',
    needs: ['finishing runs'],
    async run(it) {
      const run = await it.finished({ package: it.name() });
      const paths = [
        '/packages/',
        `/packages/${prefixOf(run.package)}/`,
        it.pagePath(run.package),
        historyPath(it, run.package),
        `${historyPath(it, run.package)}${run.run_id}/`,
        '/status/',
      ];
      for (const path of paths) {
        await page(it, path);
        const bare = await it.fetch(path.slice(0, -1), BROWSER);
        if (bare.status === 200) continue;
        status(bare, 301, 302, 307, 308);
        equal(bare.header('location')?.replace(/^https?:\/\/[^/]+/, ''), path, `${bare.name}: Location`);
      }
      ok(
        (await page(it, '/packages/')).includes(`/packages/${prefixOf(run.package)}/`),
        'the prefix is not linked',
      );
      ok(await isListed(it, `/packages/${prefixOf(run.package)}/`, run.package), 'the package is not listed');
      ok((await page(it, it.pagePath(run.package))).includes(it.suite), 'the suite is not shown');
    },
  },
  {
    id: 'PAG-02',
    title: 'the history of a package has a row per run: version, start, trigger, duration, status and links',
    needs: ['finishing runs'],
    async run(it) {
      const run = await it.finished({ package: it.name(), trigger: 'glibc/2.40-1 gcc/14-2' });
      const html = await page(it, historyPath(it, run.package));
      for (const head of ['Version', 'Date', 'Trigger', 'Duration', 'Status', 'Results'])
        ok(html.includes(head), `no column ${head}`);
      const [cells] = rows(html, 'glibc/2.40-1');
      ok(cells, 'there is no row of the run');
      const text = cells.join(' | ');
      ok(cells.includes(run.version!), `no cell with the version: ${text}`);
      ok(
        cells.some((cell) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(cell)),
        `no cell with the date: ${text}`,
      );
      ok(text.includes('glibc/2.40-1 gcc/14-2'), `no cell with the trigger: ${text}`);
      const seconds = Number(run.duration_seconds);
      const duration = `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m ${seconds % 60}s`;
      ok(cells.includes(duration), `no cell with ${duration}: ${text}`);
      ok(
        cells.some((cell) => cell.split(' ').includes(run.status!)),
        `no cell with the status: ${text}`,
      );
      for (const url of [run.log_url, run.artifacts_url])
        ok(html.includes(`${String(url)}"`), `no link to ${String(url)}`);
    },
  },
  {
    id: 'PAG-03',
    title: 'the history is newest first',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      for (const trigger of ['first/1', 'second/2', 'third/3']) await it.finished({ package: name, trigger });
      const html = await page(it, historyPath(it, name));
      const places = ['third/3', 'second/2', 'first/1'].map((trigger) => html.indexOf(trigger));
      ok(
        places.every((place) => place >= 0),
        'a run is missing',
      );
      equal(
        places,
        [...places].sort((a, b) => a - b),
        'the places of the runs, newest first',
      );
    },
  },
  {
    id: 'PAG-04',
    title: 'a tmpfail without a version has n/a in its place',
    needs: ['stub'],
    async run(it) {
      const run = await it.finished({ package: it.name('broken'), trigger: 'version:none some/1' });
      equal([run.status, run.version], ['tmpfail', 'n/a'], 'the run');
      const [cells] = rows(await page(it, historyPath(it, run.package)), 'some/1');
      ok(cells?.includes('n/a'), `no cell with n/a: ${cells?.join(' | ')}`);
    },
  },
  {
    id: 'PAG-05',
    title: 'what a client wrote is text in a page, never markup',
    needs: ['finishing runs'],
    async run(it) {
      const trigger = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';
      const run = await it.finished({ package: it.name(), trigger });
      const pages = ['/', historyPath(it, run.package), `${historyPath(it, run.package)}${run.run_id}/`];
      for (const path of pages) {
        const html = await page(it, path);
        ok(!html.includes('<script>alert') && !html.includes('<img src=x'), `${path}: the trigger is markup`);
      }
      const retry = await it.api(`/retry/${run.run_id}`);
      ok(!retry.text.includes('<script>alert'), `${retry.name}: the trigger is markup`);
    },
  },
  {
    id: 'PAG-06',
    title: 'pages of what does not exist are not found, in the form that was asked for',
    async run(it) {
      for (const path of [
        '/packages/c/no-such-package-here/',
        '/packages/zzzz/',
        '/nothing',
        `/packages/h/hello/no-such/${it.arch}/`,
        `/packages/x/hello/${it.suite}/${it.arch}/`,
        `/packages/H/Hello/${it.suite}/${it.arch}/`,
      ]) {
        const answer = status(await it.fetch(path, BROWSER), 404);
        equal(answer.type, 'text/html', `${answer.name}: content type`);
      }
      matches((await it.fetch('/nothing')).type, /problem\+json/, 'the content type for who wants no page');
    },
  },
  {
    id: 'PAG-07',
    title: 'the pages can be validated by ETag, and answer HEAD',
    needs: ['finishing runs'],
    async run(it) {
      const run = await it.finished({ package: it.name() });
      const paths = [
        ...['/packages/', `/packages/${prefixOf(run.package)}/`, it.pagePath(run.package), '/status/'],
        ...[historyPath(it, run.package), `${historyPath(it, run.package)}${run.run_id}/`],
        `/status/${it.suite}/${it.arch}/`,
      ];
      for (const path of paths) {
        // What a page shows about the last runs together may follow their end.
        await becomes(`${path} is the same again, by its ETag`, async () => {
          const answer = status(await it.fetch(path, BROWSER), 200);
          const etag = answer.header('etag');
          ok(etag, `${path}: there is no ETag`);
          matches(answer.header('cache-control'), /no-cache/, `${answer.name}: Cache-Control`);
          const head = status(await it.fetch(path, { ...BROWSER, method: 'HEAD' }), 200);
          equal(head.body.length, 0, `${head.name}: bytes`);
          const again = await it.fetch(path, { headers: { ...BROWSER.headers, 'If-None-Match': etag } });
          return head.header('etag') === etag && again.status === 304;
        });
      }
    },
  },
  {
    id: 'PAG-08',
    title: 'the date in the history is when the test began, not when it ended',
    needs: ['stub'],
    async run(it) {
      const run = await it.finished({ package: it.name(), trigger: 'sleep:3 some/1' });
      const [cells] = rows(await page(it, historyPath(it, run.package)), 'some/1');
      const date = cells?.find((cell) => cell.endsWith(' UTC')) ?? fail('there is no date');
      const beganAt = Date.parse(date.replace(' ', 'T').replace(' UTC', 'Z'));
      const ms = Date.parse(run.date!) - beganAt;
      ok(ms > 2_000 && ms < 60_000, `it is ${ms} ms before the end: ${date}`);
    },
  },
];

export const orderChecks: Check[] = [
  {
    id: 'ORD-01',
    title: 'of what waits, a higher priority is tested first',
    needs: ['stub'],
    async run(it) {
      const low = Array.from({ length: 6 }, () => ({ package: it.name('low'), priority: 1 }));
      const high = Array.from({ length: 6 }, () => ({ package: it.name('high'), priority: 10 }));
      const blockers = Array.from({ length: 4 }, () => ({
        package: it.name(),
        priority: 10,
        trigger: 'sleep:1',
      }));
      const runs = await it.finishedAllTogether([...blockers, ...low, ...high]);
      const byGrant = (name: string) =>
        runs
          .filter((run) => run.package.startsWith(name))
          .map(
            ({ facts }) =>
              (facts as { kind: string; at: string }[]).find(({ kind }) => kind === 'granted')!.at,
          )
          .sort();
      const [lows, highs] = [byGrant('low'), byGrant('high')];
      // Slots may ask before all have come: the last of one kind and the first of the other may change places.
      ok(
        highs[4]! <= lows[1]!,
        `the fifth of high priority was granted at ${highs[4]}, the second of low at ${lows[1]}`,
      );
    },
  },
];
