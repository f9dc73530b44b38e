import { gunzipSync } from 'node:zlib';

export interface Ask {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** One way in which a service could be wrong, planted between the suite and a right one. */
export interface Fault {
  /** How the service behaves. */
  name: string;
  /** Id of the check that must notice. */
  caughtBy: string;
  /** Changes a request on its way; the body is read whole first. */
  ask?: (ask: Ask) => void;
  /** Changes an answer on its way back. */
  reply?: (reply: Reply, ask: Ask) => void;
  /** Sends every request twice and answers the second. */
  twice?: boolean;
}

/** A fault with memory is created for each use. */
export type FaultMaker = () => Fault;

export function isJson(reply: Reply): boolean {
  return /json/.test(String(reply.headers['content-type'] ?? '')) && reply.body.length > 0;
}

export function textOf(reply: Reply): string {
  return (reply.headers['content-encoding'] === 'gzip' ? gunzipSync(reply.body) : reply.body).toString(
    'utf8',
  );
}

export function setText(reply: Reply, text: string): void {
  reply.body = Buffer.from(text);
  delete reply.headers['content-encoding'];
}

/** Changes the document of an answer, when it has one; `edit` returns the new one. */
export function editJson<T>(reply: Reply, edit: (document: T) => unknown): void {
  if (isJson(reply)) setText(reply, JSON.stringify(edit(JSON.parse(textOf(reply)) as T)));
}

type Run = Record<string, unknown>;

/** Changes every result object of an answer: of a list, of a history, or the only one. */
export function editRuns(reply: Reply, edit: (run: Run) => Run): void {
  editJson<Run | Run[] | { results: Run[] } | null>(reply, (document) => {
    if (document === null) return document;
    if (Array.isArray(document)) return document.map(edit);
    if (Array.isArray(document.results)) return { ...document, results: document.results.map(edit) };
    return 'run_id' in document && 'updated_at' in document ? edit(document) : document;
  });
}

export function editResults(
  reply: Reply,
  edit: (list: { until: number; results: Run[] }) => { until: number; results: Run[] },
): void {
  editJson<{ until: number; results: Run[] }>(reply, (document) =>
    Array.isArray(document.results) ? edit(document) : document,
  );
}

/** Changes the items of a JSON list on its way to the service. */
export function editItems(ask: Ask, edit: (items: Run[]) => Run[]): void {
  if (ask.headers['content-type'] !== 'application/json') return;
  const document = JSON.parse(ask.body.toString()) as unknown;
  if (Array.isArray(document)) ask.body = Buffer.from(JSON.stringify(edit(document as Run[])));
}

export function editQuery(ask: Ask, edit: (query: URLSearchParams) => void): void {
  const url = new URL(ask.path, 'http://service');
  edit(url.searchParams);
  ask.path = url.pathname + url.search;
}
