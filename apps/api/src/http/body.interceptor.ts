import { createParamDecorator, Inject, Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor, PipeTransform, Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { bodyTooLarge, Problem } from './problem';
import { ParametersPipe } from './parameters.pipe';
import { bodyBytes } from './body-bytes';
import { BodyMemoryLimit } from './body-memory-limit';
import { multipartFields } from './multipart';
import { watchParameters } from './ignored-parameters';
import { jsonParameters, merge, pointerTo, textParameters } from './parameters';
import type { Parameters } from './parameters';
import { json, urlEncodedFields, utf8 } from './text';
import type { ContextRequest, RequestContext } from './request-context';

const SentParameters = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { parameters } = context.switchToHttp().getRequest<RequestContext>();
  if (!parameters) throw new Error('a route asks for parameters and has no BodyInterceptor');
  return parameters;
});

/**
 * The parameter of a handler that holds what its client sent, in query or body.
 * @param pipe makes it of the parameters that `BodyInterceptor` has read; by default, the class that is its type
 */
export function Sent(pipe: Type<PipeTransform<Parameters, unknown>> = ParametersPipe): ParameterDecorator {
  return SentParameters(pipe);
}

const TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json', '+json'];

/** Reads a body of any transport, after the key was checked and the route was found. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(
    private readonly room: BodyMemoryLimit,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = textParameters(urlEncodedFields(queryOf(request.url)), () => null);
    request.parameters = watchParameters(request, merge(query, await this.body(request, response)));
    return next.handle();
  }

  private async body(request: Request, response: Response): Promise<Parameters> {
    const bytes = await this.bytes(request, response);
    if (bytes.length === 0) return new Map();
    const type = request.is(TYPES);
    if (!type) throw unsupported(request);
    // Every transport carries text; checked once, so that no parser quietly replaces what it cannot read.
    const text = utf8(bytes, 'The body');
    if (type === 'application/x-www-form-urlencoded') return textParameters(urlEncodedFields(text), inBody);
    if (type === 'multipart/form-data') {
      return textParameters(await multipartFields(request, response, bytes), inBody);
    }
    return jsonParameters(json(text, 'The body', '#'));
  }

  private async bytes(request: Request, response: Response): Promise<Buffer> {
    if (isWithoutBody(request)) return NO_BYTES;
    const limit = this.configuration.server.bodyBytesMax;
    if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit);
    const leave = await this.room.enter(request, response);
    try {
      return await bodyBytes(request, limit);
    } catch (error) {
      // What was read is dropped; the response may take a while yet.
      leave();
      throw error;
    }
  }
}

const NO_BYTES = Buffer.alloc(0);

/** Most requests that ask for something have none, and nothing of one is waited for then. */
function isWithoutBody({ headers }: Request): boolean {
  const {
    'content-length': length = '0',
    'transfer-encoding': chunked,
    'content-encoding': encoding,
  } = headers;
  return length === '0' && chunked === undefined && encoding === undefined;
}

function inBody(name: string): string {
  return pointerTo('#', name);
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function unsupported(request: Request): Problem {
  const type = request.get('Content-Type');
  const detail = type ? `A body of type ${type} cannot be read` : 'The body has no Content-Type';
  return new Problem(415, `${detail}; it may be a form (urlencoded or multipart) or JSON.`);
}
