import { editJson, editQuery, editResults, editRuns, type FaultMaker } from './fault';

const isPoll = (path: string): boolean => path.includes('/test?since');

/** Faults of results, packages and queues. */
export function resultFaults(key: string): FaultMaker[] {
  return [
    () => ({
      name: 'a status of null is shown as pending',
      caughtBy: 'RES-04',
      reply: (reply) => editRuns(reply, (run) => ({ ...run, status: run.status ?? 'pending' })),
    }),
    () => ({
      name: 'timestamps have six digits',
      caughtBy: 'RES-03',
      reply: (reply) =>
        editRuns(reply, (run) => ({ ...run, updated_at: String(run.updated_at).replace('Z', '000Z') })),
    }),
    () => ({
      name: 'timestamps have an offset in place of Z',
      caughtBy: 'RES-03',
      reply: (reply) =>
        editRuns(reply, (run) => ({ ...run, created_at: String(run.created_at).replace('Z', '+00:00') })),
    }),
    () => ({
      name: 'a result lacks a key until it is known',
      caughtBy: 'RES-02',
      reply: (reply) => editRuns(reply, (run) => ({ ...run, date: run.date ?? undefined })),
    }),
    () => ({
      name: 'a trigger is trimmed',
      caughtBy: 'RES-07',
      reply: (reply) =>
        editRuns(reply, (run) => ({
          ...run,
          trigger: typeof run.trigger === 'string' ? run.trigger.trim() : null,
        })),
    }),
    () => ({
      name: 'a run without tests is neutral',
      caughtBy: 'RES-06',
      reply: (reply) => editRuns(reply, (run) => (run.exit_code === 8 ? { ...run, status: 'neutral' } : run)),
    }),
    () => ({
      name: 'a run does not show its single tests',
      caughtBy: 'RES-12',
      reply: (reply) => editRuns(reply, (run) => ({ ...run, tests: undefined })),
    }),
    () => ({
      name: 'an unknown version is null',
      caughtBy: 'RES-06',
      reply: (reply) =>
        editRuns(reply, (run) => ({ ...run, version: run.version === 'n/a' ? null : run.version })),
    }),
    () => ({
      name: 'every key sees the results of one',
      caughtBy: 'RES-09',
      ask: (ask) => {
        if (isPoll(ask.path)) ask.headers['auth-key'] = key;
      },
    }),
    () => ({
      name: 'until is a fraction',
      caughtBy: 'RES-01',
      reply: (reply) => editResults(reply, ({ until, results }) => ({ until: until + 0.5, results })),
    }),
    () => ({
      name: 'until is two seconds too high',
      caughtBy: 'POL-07',
      reply: (reply) =>
        editResults(reply, ({ results }) => ({ until: Math.ceil(Date.now() / 1000) + 2, results })),
    }),
    () => ({
      name: 'until is 0 when there is nothing',
      caughtBy: 'POL-06',
      reply: (reply) =>
        editResults(reply, ({ until, results }) => ({ until: results.length > 0 ? until : 0, results })),
    }),
    () => ({
      name: 'until stays behind, so that idle polls repeat',
      caughtBy: 'POL-09',
      reply: (reply, { path }) => {
        const since = Number(new URL(path, 'http://service').searchParams.get('since'));
        editResults(reply, ({ until, results }) => ({
          until: Math.max(Math.floor(since), until - 30),
          results,
        }));
      },
    }),
    () => ({
      name: 'since is ignored',
      caughtBy: 'POL-02',
      ask: (ask) => isPoll(ask.path) && editQuery(ask, (query) => query.set('since', '0')),
    }),
    () => ({
      name: 'since may be missing',
      caughtBy: 'POL-01',
      ask: (ask) => editQuery(ask, (query) => query.has('since') || query.set('since', '0')),
    }),
    () => ({
      name: 'results come newest first',
      caughtBy: 'POL-05',
      reply: (reply) => editResults(reply, ({ until, results }) => ({ until, results: results.reverse() })),
    }),
    () => ({
      name: 'a finished run is not returned again',
      caughtBy: 'POL-03',
      reply: (reply) =>
        editResults(reply, ({ until, results }) => ({
          until,
          results: results.filter((run) => run.status === null),
        })),
    }),
    () => ({
      name: 'runs that have not finished are left out',
      caughtBy: 'RES-04',
      reply: (reply) =>
        editResults(reply, ({ until, results }) => ({
          until,
          results: results.filter((run) => run.status !== null),
        })),
    }),
    () => ({
      name: 'until skips what is written later in the same second',
      caughtBy: 'POL-08',
      reply: (reply) =>
        editResults(reply, ({ results }) => ({ until: Math.ceil(Date.now() / 1000), results })),
    }),
    () => ({
      name: 'one run of ten is never listed',
      caughtBy: 'POL-08',
      reply: (reply) =>
        editResults(reply, ({ until, results }) => ({
          until,
          results: results.filter((run) => Number(run.run_id) % 10 !== 0),
        })),
    }),
    () => ({
      name: 'wait is ignored',
      caughtBy: 'POL-10',
      ask: (ask) => editQuery(ask, (query) => query.delete('wait')),
    }),
    () => ({
      name: 'package records lack a field',
      caughtBy: 'PKG-01',
      reply: (reply) =>
        editJson<unknown>(reply, (document) =>
          Array.isArray(document)
            ? document.map((row: object) => ({ ...row, removed: undefined }))
            : document,
        ),
    }),
    () => ({
      name: 'an unknown backend filters nothing',
      caughtBy: 'PKG-02',
      ask: (ask) => editQuery(ask, (query) => query.delete('backend')),
    }),
    () => ({
      name: 'names known from private runs are shown to every key',
      caughtBy: 'PKG-03',
      ask: (ask) => {
        if (ask.path.endsWith('/packages')) ask.headers['auth-key'] = key;
      },
    }),
    () => {
      let first: Buffer | undefined;
      return {
        name: 'queue lengths are stale',
        caughtBy: 'QUE-02',
        reply: (reply, { path }) => {
          if (path.endsWith('/queues')) reply.body = first ??= reply.body;
        },
      };
    },
    () => {
      let hidden = 0;
      return {
        name: 'queue lengths count private runs',
        caughtBy: 'QUE-02',
        ask: (ask) => {
          if (ask.method === 'POST' && ask.body.includes('is_private')) hidden += 1;
        },
        reply: (reply, { path }) => {
          if (!path.endsWith('/queues')) return;
          editJson<{ waiting: number }[]>(reply, (queues) =>
            queues.map((queue) => ({ ...queue, waiting: queue.waiting + hidden })),
          );
        },
      };
    },
    () => ({
      name: 'a leaf of the reject list is a reason',
      caughtBy: 'REJ-01',
      reply: (reply, { path }) => {
        if (!path.endsWith('/reject_list')) return;
        reply.body = Buffer.from(reply.body.toString().replaceAll('""', '"because"'));
      },
    }),
  ];
}
