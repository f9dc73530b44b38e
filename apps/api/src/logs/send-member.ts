import { Readable } from 'node:stream';
import { contentFrom, type ArtifactsIndex, type OpenAt, type TarMember } from '@proctor/result-files';
import type { Response } from 'express';
import { pipelineToClient } from '../http/pipeline-to-client';
import { readingLimits } from './run-logs';
import { TEXT_HEADERS } from './send-log';

/** An archive in the store. */
interface StoredArchive {
  index: ArtifactsIndex;
  open: OpenAt;
}

/**
 * Sends one file of an archive, as fast as the client reads, as a download or as text. A test has written it: it is
 * never a page, an image or a script of this server.
 * @param isKept whether caches may store it, also shared ones
 * @throws StoreUnavailable if the store does not answer; Error if the archive is no gzip
 */
export async function sendMember(
  { index, open }: StoredArchive,
  { path, size, offset }: TarMember,
  isShown: boolean,
  isKept: boolean,
  response: Response,
): Promise<void> {
  response.status(200).set({
    ...TEXT_HEADERS,
    'Content-Type': isShown ? TEXT_HEADERS['Content-Type'] : 'application/octet-stream',
    'Content-Length': String(size),
    // With compression, it would have another length.
    'Cache-Control': isKept ? 'public, max-age=3600, no-transform' : 'private, no-store, no-transform',
    'Content-Disposition': isShown ? 'inline' : `attachment; ${fileName(path)}`,
  });
  const content =
    size === 0 ? Readable.from([]) : Readable.from(part(index, open, offset, size), { objectMode: false });
  await pipelineToClient(content, response);
}

async function* part(
  index: ArtifactsIndex,
  open: OpenAt,
  offset: number,
  size: number,
): AsyncGenerator<Buffer> {
  let rest = size;
  for await (const chunk of contentFrom(open, index.blocks, offset, readingLimits())) {
    yield chunk.length > rest ? chunk.subarray(0, rest) : chunk;
    rest -= chunk.length;
    if (rest <= 0) return;
  }
  throw new Error('the archive ends before the file does');
}

/** RFC 6266, with an ASCII name for clients that do not know the other form. */
function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toWellFormed();
  const ascii = name.replace(/[^A-Za-z0-9._+~-]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
