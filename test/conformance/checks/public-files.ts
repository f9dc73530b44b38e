import type { Answer } from '../exchange';
import { becomes, equal, ok, status } from '../expectations';
import { prefixOf, type Instance, type Result } from '../instance';

export async function latest(it: Instance, name: string): Promise<Result | null> {
  return status(await it.fetch(it.dataPath(name, 'latest.json')), 200).json<Result | null>();
}

export function filePath(run: Result, file: string): string {
  return `/data/autopkgtest/${run.suite}/${run.arch}/${prefixOf(run.package)}/${run.package}/${run.run_id}/${file}`;
}

export const statusPath = (it: Instance, file: string): string =>
  `/data/status/${it.suite}/${it.arch}/${file}`;

/** The values that a cache lives on, and that they work. */
async function cacheable(it: Instance, path: string): Promise<Answer> {
  const answer = status(await it.fetch(path), 200);
  const etag = answer.header('etag');
  ok(etag, `${answer.name}: there is no ETag`);
  ok(answer.header('cache-control'), `${answer.name}: there is no Cache-Control`);
  const again = status(await it.fetch(path, { headers: { 'If-None-Match': etag } }), 304);
  equal(again.body.length, 0, `${again.name}: bytes of the body`);
  const head = status(await it.fetch(path, { method: 'HEAD' }), 200);
  equal([head.body.length, head.header('etag')], [0, etag], `${head.name}: bytes and ETag`);
  // A service may wait before it vouches for a time in whole seconds.
  await becomes(`${path} is "not modified since" its Last-Modified`, async () => {
    const modified = status(await it.fetch(path), 200).header('last-modified');
    ok(modified && !Number.isNaN(Date.parse(modified)), `${path}: Last-Modified is ${modified}`);
    return (await it.fetch(path, { headers: { 'If-Modified-Since': modified } })).status === 304;
  });
  return answer;
}

export function allCacheable(it: Instance, paths: string[]): Promise<Answer[]> {
  return Promise.all(paths.map((path) => cacheable(it, path)));
}
