import { editJson, editRuns, textOf, type Ask, type FaultMaker } from './fault';

const isDecision = (path: string): boolean => path.includes('/api/v1/admin/');
const isAboutMany = (path: string): boolean => /\/test\/(cancel|priority)$/.test(path);

function without(ask: Ask, key: string): void {
  if (ask.headers['content-type'] !== 'application/json') return;
  const body = JSON.parse(ask.body.toString()) as Record<string, unknown>;
  ask.body = Buffer.from(JSON.stringify({ ...body, [key]: undefined }));
}

/** Faults of changes of many runs, queues and workers, and of the answers about them. */
export const decisionFaults: FaultMaker[] = [
  () => ({
    name: 'many runs are cancelled whatever their trigger is',
    caughtBy: 'MAN-01',
    ask: (ask) => isAboutMany(ask.path) && without(ask, 'trigger'),
  }),
  () => ({
    name: 'of many cancelled runs the first gets an answer',
    caughtBy: 'MAN-01',
    reply: (reply) =>
      editJson<{ cancelled?: number[] }>(reply, (document) =>
        document.cancelled ? { cancelled: document.cancelled.slice(0, 1) } : document,
      ),
  }),
  () => ({
    name: "every key may cancel everyone's runs",
    caughtBy: 'MAN-02',
    reply: (reply, { path }) => {
      if (isAboutMany(path) && reply.status === 403) reply.status = 200;
    },
  }),
  () => ({
    name: 'a new priority of many runs is theirs for an answer only',
    caughtBy: 'MAN-03',
    reply: (reply) => editRuns(reply, (run) => ({ ...run, priority: 5 })),
  }),
  () => ({
    name: 'ids of no runs are passed over',
    caughtBy: 'MAN-04',
    reply: (reply, { path, method }) => {
      if (isAboutMany(path) && method === 'POST' && textOf(reply).includes('run_ids')) reply.status = 200;
    },
  }),
  () => ({
    name: 'a misspelt selector is passed over',
    caughtBy: 'MAN-04',
    ask: (ask) => isAboutMany(ask.path) && without(ask, 'triger'),
  }),
  () => ({
    name: 'every key may pause',
    caughtBy: 'ADM-01',
    reply: (reply, { path }) => {
      if (isDecision(path) && reply.status === 403) reply.status = 200;
    },
  }),
  () => ({
    name: 'a queue does not show that it is paused',
    caughtBy: 'ADM-02',
    reply: (reply, { path }) => {
      if (!path.endsWith('/queues')) return;
      editJson<object[]>(reply, (queues) => queues.map((queue) => ({ ...queue, paused: null })));
    },
  }),
  () => ({
    name: 'a pause shows in one queue only',
    caughtBy: 'ADM-02',
    reply: (reply, { path }) => {
      if (!path.endsWith('/queues')) return;
      editJson<{ paused: unknown }[]>(reply, (queues) => {
        const first = queues.findIndex(({ paused }) => paused !== null);
        return queues.map((queue, place) => (place === first ? queue : { ...queue, paused: null }));
      });
    },
  }),
  () => ({
    name: 'what is not paused can be resumed',
    caughtBy: 'ADM-02',
    reply: (reply, { path }) => {
      if (isDecision(path) && reply.status === 404) reply.status = 200;
    },
  }),
  () => ({
    name: 'a paused queue goes on',
    caughtBy: 'ADM-03',
    reply: (reply) =>
      editRuns(reply, (run) => (run.state === 'queued' ? { ...run, state: 'running', reasons: [] } : run)),
  }),
  () => ({
    name: 'drains are not listed',
    caughtBy: 'ADM-04',
    reply: (reply, { path }) => {
      if (path.endsWith('/decisions')) editJson<object>(reply, (list) => ({ ...list, drains: [] }));
    },
  }),
  () => ({
    name: 'a misspelt suite pauses everything',
    caughtBy: 'ADM-05',
    ask: (ask) => isDecision(ask.path) && without(ask, 'suit'),
  }),
  () => ({
    name: 'everybody can be trusted',
    caughtBy: 'ADM-06',
    reply: (reply, { path }) => {
      if (path.endsWith('/trust') && reply.status === 404) reply.status = 200;
    },
  }),
  () => ({
    name: 'a worker does not show its standing',
    caughtBy: 'WRK-01',
    reply: (reply, { path }) => {
      if (!path.endsWith('/workers')) return;
      editJson<{ workers: object[] }>(reply, (document) => ({
        ...document,
        workers: document.workers.map((worker) => ({ ...worker, standing: undefined })),
      }));
    },
  }),
  () => ({
    name: 'the story of a run lacks its beginning',
    caughtBy: 'STO-01',
    reply: (reply) =>
      editRuns(reply, (run) => ({
        ...run,
        facts: Array.isArray(run.facts) ? run.facts.slice(1) : undefined,
      })),
  }),
  () => ({
    name: 'a waiting run does not show its place',
    caughtBy: 'STO-02',
    reply: (reply) => editRuns(reply, (run) => ({ ...run, position: undefined })),
  }),
  () => ({
    name: 'a refusal reveals the history of a private run',
    caughtBy: 'STO-03',
    reply: (reply) => {
      if (reply.status === 404) editJson<object>(reply, (problem) => ({ ...problem, facts: [] }));
    },
  }),
];
