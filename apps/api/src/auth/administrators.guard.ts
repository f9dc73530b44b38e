import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Problem } from '../http/problem';
import type { WithRequestor } from './requestor';

/** Lets administrators' keys through, before a body is read. */
@Injectable()
export class AdministratorsGuard implements CanActivate {
  /** @throws Problem 403 */
  canActivate(context: ExecutionContext): boolean {
    const { requestor } = context.switchToHttp().getRequest<WithRequestor>();
    if (requestor?.isAdmin) return true;
    throw new Problem(403, 'This is for administrators: the API key must belong to one.');
  }
}
