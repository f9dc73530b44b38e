import type { ResultContentName } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import type { ByteRange, ResultStore } from '@proctor/store';
import type { Request, Response } from 'express';
import { pipelineToClient } from '../http/pipeline-to-client';
import { notFound, Problem } from '../http/problem';
import { requireKept } from '../runs/removed-files';

/** A log is sent as compressed text: a browser shows it, `curl -o` saves the gzip file. */
const HEADERS: Record<ResultContentName, Record<string, string>> = {
  'log.gz': { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Encoding': 'gzip' },
  'artifacts.tar.gz': { 'Content-Type': 'application/gzip' },
};

/**
 * Sends a file of a finished run: whole, a range, or "not modified". Sizes and ranges count stored bytes.
 * @param headers for caches, and `Last-Modified`
 * @throws Problem 404 if the run has no such file; 410 if a rule has removed it; 416 for a range beyond its end
 */
export async function sendResultFile(
  request: Request,
  response: Response,
  store: ResultStore,
  run: RunRecord,
  name: ResultContentName,
  headers: Record<string, string>,
): Promise<void> {
  const size = name === 'log.gz' ? run.logSize : run.artifactsSize;
  requireKept(run, name);
  if (size === null || run.state !== 'finished') throw missing(run, name);
  const tag = `"${run.runId}-${run.attempt}-${size}"`;
  response.status(200).set({ ...headers, ETag: tag });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  const range = requestedRange(request, size, [tag, headers['Last-Modified'] ?? tag]);
  if (range === 'unsatisfiable') {
    throw new Problem(416, `${name} of run ${run.runId} has ${size} bytes.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  const stored = await store.open(run.runId, run.attempt, name, range ?? undefined);
  if (!stored) throw missing(run, name);
  response.set({ ...HEADERS[name], 'Accept-Ranges': 'bytes' });
  response.set('Content-Length', String(range ? range.end - range.start + 1 : size));
  if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  if (request.method === 'HEAD') {
    stored.content.destroy();
    response.end();
    return;
  }
  await pipelineToClient(stored.content, response);
}

function missing(run: RunRecord, name: ResultContentName): Problem {
  return notFound(`Run ${run.runId} has no ${name}.`);
}

/**
 * The single range of a GET; null means the whole file: no or a malformed header, several ranges, or an If-Range with
 * another version of the file.
 * @param validators the present ETag and Last-Modified of the file
 */
function requestedRange(
  request: Request,
  size: number,
  validators: string[],
): ByteRange | null | 'unsatisfiable' {
  if (request.method !== 'GET') return null;
  const condition = request.get('If-Range');
  if (condition !== undefined && !validators.includes(condition)) return null;
  const ranges = request.range(size, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0]!;
}
