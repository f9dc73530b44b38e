import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Lets a handler's error reach BusStrategy as it is, which logs and answers it. Without this filter Nest replaces
 * each by "Internal server error", and a malformed report could not be told from one that failed.
 */
@Catch()
export class BusErrorFilter implements RpcExceptionFilter {
  catch(exception: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => exception);
  }
}
