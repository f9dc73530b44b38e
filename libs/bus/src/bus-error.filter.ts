import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Passes a handler's error unchanged to BusStrategy, which logs and answers it. Without this filter Nest replaces each
 * error by "Internal server error", and a malformed report looks the same as one that failed.
 */
@Catch()
export class BusErrorFilter implements RpcExceptionFilter {
  catch(exception: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => exception);
  }
}
