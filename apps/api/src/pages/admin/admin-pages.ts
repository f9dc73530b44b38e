import { applyDecorators, Injectable, UseGuards, UseInterceptors } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Problem } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { requireLogin } from '../account/account-pages';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';

/** Allows only administrators who are logged in. */
@Injectable()
class AdminPagesGuard implements CanActivate {
  /** @throws Problem like `requireLogin`; 403 when the user is not an administrator */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    if (requireLogin(request).isAdmin) return true;
    throw new Problem(403, 'This is for administrators.');
  }
}

/** A decorator for controllers of the pages of administrators; with `isData`, for JSON instead of pages. */
export const AdminPages = ({ isData = false } = {}): ClassDecorator =>
  isData
    ? UseGuards(AdminPagesGuard)
    : applyDecorators(UseGuards(AdminPagesGuard), UseInterceptors(PageInterceptor));

/** The page after an action whose result no other page shows. */
export interface Notice {
  title: string;
  lead: string;
  /** A secret, which is shown only once. */
  secret?: string;
  back: string;
}

export function notice(data: Notice): Page {
  return { template: 'admin/done', data };
}
