import { editItems, editJson, editQuery, editRuns, setText, type FaultMaker } from './fault';

const isSubmission = (path: string): boolean => /\/api\/v1\/test\/[^?]/.test(path);

/** Faults of requesting, retrying, cancelling and publishing. */
export const requestFaults: FaultMaker[] = [
  () => ({
    name: 'an accepted list is answered with 200',
    caughtBy: 'REQ-01',
    reply: (reply) => {
      if (reply.status === 201) reply.status = 200;
    },
  }),
  () => ({
    name: 'an accepted list is answered with an empty body',
    caughtBy: 'REQ-01',
    reply: (reply) => {
      if (reply.status === 201) setText(reply, '');
    },
  }),
  () => ({
    name: 'the last item of a list is lost',
    caughtBy: 'TRA-04',
    ask: (ask) => editItems(ask, (items) => items.slice(0, -1)),
  }),
  () => ({ name: 'every request is carried out twice', caughtBy: 'REQ-03', twice: true }),
  () => ({
    name: 'equal items become one run',
    caughtBy: 'REQ-03',
    ask: (ask) =>
      editItems(ask, (items) => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]),
  }),
  () => ({
    name: 'an invalid name refuses the whole list',
    caughtBy: 'REQ-04',
    reply: (reply) =>
      editJson<{ ignored?: unknown[] }>(reply, (document) => {
        if (document.ignored?.length) reply.status = 400;
        return document;
      }),
  }),
  () => ({
    name: 'what is ignored is not listed',
    caughtBy: 'REQ-04',
    reply: (reply) => editJson<object>(reply, (document) => ({ ...document, ignored: [] })),
  }),
  () => ({
    name: 'a trigger of any length is taken',
    caughtBy: 'ERR-14',
    ask: (ask) =>
      editItems(ask, (items) =>
        items.map((item) => {
          const { trigger } = item as { trigger?: unknown };
          return typeof trigger === 'string' && trigger.length > 100_000 ? { ...item, trigger: 'x' } : item;
        }),
      ),
  }),
  () => ({
    name: 'unknown keys of an item are passed over in silence',
    caughtBy: 'REQ-15',
    reply: (reply) => editJson<object>(reply, (document) => ({ ...document, warnings: [] })),
  }),
  () => ({
    name: 'a body of any type is read as JSON',
    caughtBy: 'TRA-10',
    ask: (ask) => {
      if (ask.headers['content-type'] === 'text/plain') ask.headers['content-type'] = 'application/json';
    },
  }),
  () => ({
    name: 'the priority of the query is ignored',
    caughtBy: 'TRA-06',
    ask: (ask) => editQuery(ask, (query) => query.delete('priority')),
  }),
  () => ({
    name: 'a priority of 5abc is read as 5',
    caughtBy: 'REQ-18',
    ask: (ask) =>
      editQuery(
        ask,
        (query) =>
          query.has('priority') && query.set('priority', String(parseInt(query.get('priority')!, 10))),
      ),
  }),
  () => ({
    name: 'the priority of an item is ignored',
    caughtBy: 'REQ-17',
    ask: (ask) => editItems(ask, (items) => items.map(({ priority: _priority, ...item }) => item)),
  }),
  () => ({
    name: 'extra sources that are not configured are dropped',
    caughtBy: 'REQ-21',
    ask: (ask) => editItems(ask, (items) => items.map(({ 'extra-apt-sources': _sources, ...item }) => item)),
  }),
  () => ({
    name: 'pins are ignored',
    caughtBy: 'REQ-25',
    ask: (ask) => editItems(ask, (items) => items.map(({ 'pin-packages': _pins, ...item }) => item)),
  }),
  () => ({
    name: 'the wish for privacy is ignored in the query',
    caughtBy: 'SIN-02',
    ask: (ask) => editQuery(ask, (query) => query.delete('is_private')),
  }),
  () => ({
    name: 'the query wins over the body',
    caughtBy: 'SIN-04',
    ask: (ask) => {
      if (ask.headers['content-type'] !== 'application/x-www-form-urlencoded' || !isSubmission(ask.path))
        return;
      const merged = new URLSearchParams(ask.body.toString());
      editQuery(ask, (query) => query.forEach((value, name) => merged.set(name, value)));
      ask.body = Buffer.from(merged.toString());
    },
  }),
  () => ({
    name: 'a batch tests on the first architecture only',
    caughtBy: 'BAT-02',
    ask: (ask) => {
      if (!ask.path.endsWith('/batch')) return;
      const { tests } = JSON.parse(ask.body.toString()) as { tests: { arch: string[] }[] };
      const first = tests.map((part) => ({ ...part, arch: part.arch.slice(0, 1) }));
      ask.body = Buffer.from(JSON.stringify({ tests: first }));
    },
  }),
  () => ({
    name: 'Idempotency-Key is ignored',
    caughtBy: 'IDE-01',
    ask: (ask) => delete ask.headers['idempotency-key'],
  }),
  () => {
    let first: Buffer | undefined;
    return {
      name: 'an Idempotency-Key hides that the parameters changed',
      caughtBy: 'IDE-03',
      reply: (reply) => {
        if (reply.status === 201) first = reply.body;
        if (reply.status !== 409 || !first) return;
        Object.assign(reply, { status: 201, body: first });
      },
    };
  },
  () => ({
    name: 'a run that has not finished can be retried',
    caughtBy: 'RET-02',
    reply: (reply, { path }) => {
      if (path.includes('/retry/') && reply.status === 409) reply.status = 201;
    },
  }),
  () => {
    const retries = new Set<unknown>();
    return {
      name: 'a retry loses the trigger',
      caughtBy: 'RET-01',
      reply: (reply, { path }) => {
        if (path.includes('/retry/'))
          editJson<{ run_id: number }>(reply, (retry) => (retries.add(retry.run_id), retry));
        else editRuns(reply, (run) => (retries.has(run.run_id) ? { ...run, trigger: null } : run));
      },
    };
  },
  () => ({
    name: 'a cancelled run does not say who did it',
    caughtBy: 'CAN-01',
    reply: (reply) => editRuns(reply, (run) => ({ ...run, message: 'cancelled' })),
  }),
  () => ({
    name: 'a finished run can be cancelled',
    caughtBy: 'CAN-02',
    reply: (reply, { method }) => {
      if (method === 'DELETE' && reply.status === 409) reply.status = 200;
    },
  }),
  () => ({
    name: "another user's public run is not found when it is cancelled",
    caughtBy: 'CAN-03',
    reply: (reply, { method }) => {
      if (method === 'DELETE' && reply.status === 403) reply.status = 404;
    },
  }),
  () => ({
    name: 'publishing does not count as an update',
    caughtBy: 'PUB-05',
    reply: (reply) => editRuns(reply, (run) => ({ ...run, updated_at: run.created_at })),
  }),
  () => ({
    name: 'publishing nothing is a bad request',
    caughtBy: 'PUB-03',
    reply: (reply, { path }) => {
      if (path.endsWith('/publish')) reply.status = 400;
    },
  }),
  () => ({
    name: 'publishing answers only that it is done',
    caughtBy: 'PUB-01',
    reply: (reply, { path }) => path.endsWith('/publish') && setText(reply, '{}'),
  }),
];
