import { createParamDecorator, Inject, Injectable } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { CallHandler, ExecutionContext, NestInterceptor, PipeTransform, Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { bodyTooLarge, Problem } from './problem';
import { ParametersPipe } from './parameters.pipe';
import { bodyBytes } from './body-bytes';
import { BodyMemoryLimit } from './body-memory-limit';
import { type BodyNeed, bodyNeedOf, LIST_NAME } from './body-need';
import { type ByteField, readForm } from './form-reader';
import { readJson } from './json-reader';
import { multipartFields } from './multipart';
import { watchParameters } from './ignored-parameters';
import { jsonParameters, merge, pointerTo, textParameters } from './parameters';
import type { Parameters } from './parameters';
import { inSlices } from './slices';
import { SHORT_JSON_LENGTH_MAX, urlEncodedFields, utf8 } from './text';
import type { ContextRequest, RequestContext } from './request-context';

const SentParameters = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { parameters } = context.switchToHttp().getRequest<RequestContext>();
  if (!parameters) throw new Error('a route asks for parameters and has no BodyInterceptor');
  return parameters;
});

/**
 * The parameter of a handler for what its client sent, in query or body.
 * @param pipe converts the parameters that `BodyInterceptor` has read; by default into the class of the parameter
 */
export function Sent(pipe: Type<PipeTransform<Parameters, unknown>> = ParametersPipe): ParameterDecorator {
  return SentParameters(pipe);
}

const TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json', '+json'];

/** Reads the body of every content type, after the check of the key and the choice of the route. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(
    private readonly room: BodyMemoryLimit,
    private readonly reflector: Reflector,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = textParameters(urlEncodedFields(queryOf(request.url)), () => null);
    const need = bodyNeedOf(request, context, this.reflector, this.configuration.server);
    request.parameters = watchParameters(request, merge(query, await this.body(request, response, need)));
    return next.handle();
  }

  private async body(request: Request, response: Response, need: BodyNeed): Promise<Parameters> {
    const bytes = await this.bytes(request, response, need);
    if (bytes.length === 0) return new Map();
    const type = request.is(TYPES);
    if (!type) throw unsupported(request);
    if (type === 'application/x-www-form-urlencoded')
      return formParameters(await inSlices(readForm(bytes)), need);
    if (type === 'multipart/form-data')
      return formParameters(await multipartFields(request, response, bytes), need);
    return jsonParameters(await inSlices(readJson(bytes, 'The body', '#')));
  }

  private async bytes(request: Request, response: Response, { bytesMax }: BodyNeed): Promise<Buffer> {
    if (bytesMax === 0 || isWithoutBody(request)) return NO_BYTES;
    if (Number(request.headers['content-length']) > bytesMax) throw bodyTooLarge(bytesMax);
    const leave = await this.room.enter(request, response, bytesMax);
    try {
      return await bodyBytes(request, bytesMax);
    } catch (error) {
      // The parameters are no longer needed; the response may take a while.
      leave();
      throw error;
    }
  }
}

/**
 * The maximum size of a form field, in bytes; longer than any text of a request. A list of tests may be as long as
 * its body.
 */
const FIELD_BYTES_MAX = 1024 * 1024;

/** @throws Problem 400 for a parameter that is sent twice, or is not UTF-8; 413 for a text that is too long */
function formParameters(fields: ByteField[], { takesList }: BodyNeed): Parameters {
  const texts = fields.map(([name, bytes]): [string, string | Buffer] => {
    if (takesList && name === LIST_NAME && bytes.length > SHORT_JSON_LENGTH_MAX) return [name, bytes];
    if (bytes.length <= FIELD_BYTES_MAX) return [name, utf8(bytes, describe(name))];
    throw new Problem(413, `${describe(name)} is longer than ${FIELD_BYTES_MAX} bytes.`);
  });
  return textParameters(texts, inBody);
}

const NO_BYTES = Buffer.alloc(0);

/** Most requests have no body, and then nothing is waited for. */
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
