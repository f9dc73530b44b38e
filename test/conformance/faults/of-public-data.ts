import { editItems, editJson, setText, textOf, type FaultMaker, type Reply } from './fault';

const isPage = (reply: Reply): boolean => String(reply.headers['content-type']).startsWith('text/html');

/** Faults of public files, feeds and pages. */
export const publicDataFaults: FaultMaker[] = [
  () => {
    let lastPath = '';
    return {
      name: 'a pinned run is the latest',
      caughtBy: 'DAT-03',
      ask: (ask) => {
        lastPath = ask.path;
        ask.path = ask.path.replace('/latest.json', '/history.json');
      },
      reply: (reply) => {
        if (lastPath.endsWith('/latest.json')) editJson<unknown[]>(reply, (rows) => rows.at(-1) ?? null);
      },
    };
  },
  () => ({
    name: 'an unknown latest status is not found',
    caughtBy: 'DAT-02',
    reply: (reply) => {
      if (reply.body.toString() === 'null') reply.status = 404;
    },
  }),
  () => ({
    name: 'the history is newest first',
    caughtBy: 'DAT-05',
    reply: (reply, { path }) => {
      if (path.endsWith('/history.json')) editJson<unknown[]>(reply, (rows) => rows.reverse());
    },
  }),
  () => ({
    name: 'a long history does not link to its older rows',
    caughtBy: 'DAT-06',
    reply: (reply) => delete reply.headers.link,
  }),
  () => ({
    name: 'a log lacks its Content-Encoding',
    caughtBy: 'DAT-07',
    reply: (reply) => delete reply.headers['content-encoding'],
  }),
  () => ({
    name: 'a log is called a gzip file',
    caughtBy: 'DAT-07',
    reply: (reply, { path }) => {
      if (path.endsWith('log.gz')) reply.headers['content-type'] = 'application/gzip';
    },
  }),
  () => ({
    name: 'ranges are ignored',
    caughtBy: 'DAT-09',
    ask: (ask) => delete ask.headers.range,
  }),
  () => ({
    name: 'Last-Modified is missing',
    caughtBy: 'DAT-10',
    reply: (reply) => delete reply.headers['last-modified'],
  }),
  () => {
    const replies = new Map<string, Reply>();
    return {
      name: 'latest.json is stale',
      caughtBy: 'DAT-11',
      reply: (reply, { path }) => {
        if (!path.endsWith('/latest.json')) return;
        if (!replies.has(path)) replies.set(path, { ...reply });
        Object.assign(reply, replies.get(path));
      },
    };
  },
  () => ({
    name: 'any prefix is taken',
    caughtBy: 'DAT-12',
    ask: (ask) => void (ask.path = ask.path.replace(/\/[^/]*(\/libwords-)/, '/libw$1')),
  }),
  () => ({
    name: 'a message is empty',
    caughtBy: 'STA-01',
    reply: (reply, { path }) => {
      if (path.endsWith('/packages.json')) {
        editJson<object[]>(reply, (rows) => rows.map((row) => ({ ...row, message: '' })));
      }
    },
  }),
  () => ({
    name: 'the previous status is the present one',
    caughtBy: 'STA-02',
    reply: (reply, { path }) => {
      if (path.endsWith('/packages.json')) {
        editJson<{ status: string }[]>(reply, (rows) =>
          rows.map((row) => ({ ...row, previous_status: row.status })),
        );
      }
    },
  }),
  () => ({
    name: 'status files are cached for a day',
    caughtBy: 'STA-05',
    reply: (reply) => void (reply.headers['cache-control'] = 'public, max-age=86400'),
  }),
  () => {
    let answers = 0;
    return {
      name: 'packages.json has another ETag each time',
      caughtBy: 'STA-06',
      reply: (reply) => void (reply.headers.etag = `"${(answers += 1)}"`),
    };
  },
  () => ({
    name: 'a feed shows no change',
    caughtBy: 'FEE-01',
    reply: (reply, { path }) => {
      if (path.endsWith('.xml')) setText(reply, textOf(reply).replace(/<entry[\s\S]*<\/entry>/, ''));
    },
  }),
  () => ({
    name: 'caches may keep the log of a private run',
    caughtBy: 'PRI-01',
    reply: (reply, { path }) => {
      if (path.endsWith('log.gz') && reply.status === 200) reply.headers['cache-control'] = 'public';
    },
  }),
  () => ({
    name: 'the log of a private run is served',
    caughtBy: 'PRI-01',
    reply: (reply, { path }) => {
      if (path.endsWith('log.gz')) reply.status = 200;
    },
  }),
  () => {
    const names: unknown[] = [];
    return {
      name: 'a page names a package of private runs',
      caughtBy: 'PRI-02',
      ask: (ask) =>
        editItems(ask, (items) => {
          names.push(...items.filter((item) => item.is_private).map((item) => item.package));
          return items;
        }),
      reply: (reply, { path }) => {
        if (isPage(reply) && path.startsWith('/status')) setText(reply, `${textOf(reply)}${names.join()}`);
      },
    };
  },
  () => ({
    name: 'a trigger is markup',
    caughtBy: 'PAG-05',
    reply: (reply) => {
      if (isPage(reply)) setText(reply, textOf(reply).replaceAll('&lt;', '<').replaceAll('&gt;', '>'));
    },
  }),
  () => ({
    name: 'the history shows when a test ended',
    caughtBy: 'PAG-08',
    reply: (reply) => {
      const endedAt = new Date().toISOString().replace('T', ' ').slice(0, 19);
      if (isPage(reply))
        setText(reply, textOf(reply).replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, `${endedAt} UTC`));
    },
  }),
  () => ({
    name: 'a duration leaves out zero parts',
    caughtBy: 'PAG-02',
    reply: (reply) => {
      if (isPage(reply)) setText(reply, textOf(reply).replaceAll('0h 0m ', ''));
    },
  }),
  () => ({
    name: 'pages are not found without their slash',
    caughtBy: 'PAG-01',
    reply: (reply, { path }) => {
      if (path.startsWith('/packages') && !path.endsWith('/')) reply.status = 404;
    },
  }),
  () => ({
    name: 'a page of nothing is found',
    caughtBy: 'PAG-06',
    reply: (reply) => {
      if (isPage(reply)) reply.status = 200;
    },
  }),
];
