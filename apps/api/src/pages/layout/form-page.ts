import { createParamDecorator, Inject, Injectable } from '@nestjs/common';
import type { ExecutionContext, PipeTransform } from '@nestjs/common';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { returnTo, withoutBase } from '../../sessions/return-to';

/** The field of a question that keeps the page on which the action was chosen. */
export const RETURN_TO = 'return_to';

@Injectable()
class FormPagePipe implements PipeTransform<ContextRequest, string | null> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  transform(request: ContextRequest): string | null {
    const { publicUrl } = this.configuration.server;
    const address =
      request.parameters?.get(RETURN_TO)?.value ??
      withoutBase(request.get('Referer'), baseUrl(request, publicUrl));
    const path = returnTo(address);
    return path === '/' ? null : path;
  }
}

const CurrentRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<ContextRequest>(),
);

/** A parameter of a handler: the path of the page with the link or button that was used; null when it is not known. */
export const FormPage = (): ParameterDecorator => CurrentRequest(FormPagePipe);
