import type { ByteRange } from '@proctor/store';
import type { Request } from 'express';

/**
 * The one range that a GET asks for; null means the whole: no or a malformed header, several ranges, or an If-Range
 * that names another version of the file.
 * @param validators the ETag and Last-Modified of the file as it is
 */
export function requestedRange(
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
