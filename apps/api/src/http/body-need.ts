import { SetMetadata } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { ApiConfiguration } from '../configuration.token';
import { Problem } from './problem';

const LISTS = 'lists of tests';

/** The parameter of a body that may be long: a list of tests. */
export const LIST_NAME = 'tests';

/** Marks a handler that accepts lists of tests: only its bodies may have the full length. */
export const TakesList = (): MethodDecorator => SetMetadata(LISTS, true);

/** Nothing of a body is read with these methods. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS'];

/** The limits of a request's body, from its handler. */
export interface BodyNeed {
  /** The maximum number of bytes; 0: the body is not read. */
  bytesMax: number;
  takesList: boolean;
}

export function bodyNeedOf(
  { method }: Request,
  context: ExecutionContext,
  reflector: Reflector,
  { bodyBytesMax, shortBodyBytesMax }: ApiConfiguration['server'],
): BodyNeed {
  if (WITHOUT_BODY.includes(method)) return { bytesMax: 0, takesList: false };
  const takesList = reflector.get<true | undefined>(LISTS, context.getHandler()) === true;
  return { bytesMax: takesList ? bodyBytesMax : Math.min(bodyBytesMax, shortBodyBytesMax), takesList };
}

/** The maximum size of a body that no handler reads: some clients send one by mistake. */
export const NEEDLESS_BODY_BYTES_MAX = 64 * 1024;

/**
 * Drops the body of a request that needs none. If the body is larger than it may be, without saying so, the
 * connection is closed.
 * @throws Problem 413 if the announced size is too large
 */
export function discardNeedlessBody(request: Request): void {
  const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers;
  if (!WITHOUT_BODY.includes(request.method) || (length === '0' && chunked === undefined)) return;
  if (Number(length) > NEEDLESS_BODY_BYTES_MAX) {
    const detail = `A ${request.method} needs no body, and may have one of ${NEEDLESS_BODY_BYTES_MAX} bytes.`;
    throw new Problem(413, detail);
  }
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > NEEDLESS_BODY_BYTES_MAX) request.destroy();
  });
}
