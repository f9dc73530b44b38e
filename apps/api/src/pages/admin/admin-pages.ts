import { applyDecorators, Injectable, UseGuards, UseInterceptors } from '@nestjs/common';
import type { CallHandler, CanActivate, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { catchError, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { pathOf } from '../../http/paths';
import { Problem } from '../../http/problem';
import { problemOf } from '../../http/problem-of';
import type { ContextRequest } from '../../http/request-context';
import { requireLogin } from '../account/account-pages';
import { Form } from '../layout/form-action';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';

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

/** Shows a refused form as a page with the reason and a link back. */
@Injectable()
class RefusedFormInterceptor implements NestInterceptor<Page | Redirect, Page | Redirect> {
  intercept(context: ExecutionContext, next: CallHandler<Page | Redirect>): Observable<Page | Redirect> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<ContextRequest>(), http.getResponse<Response>()];
    return next.handle().pipe(
      catchError((error: unknown) => {
        const problem = problemOf(error, request.parameters);
        if (problem.status < 400 || problem.status >= 500) throw error;
        response.status(problem.status).set(problem.headers);
        return of({ template: 'admin/refused', data: { detail: problem.detail, back: partOf(request) } });
      }),
    );
  }
}

/** A decorator for handlers of the forms of administrators. */
export const AdminForm = (...form: Parameters<typeof Form>): MethodDecorator =>
  applyDecorators(UseInterceptors(RefusedFormInterceptor), Form(...form));

/** The page to which a form belongs, such as `/admin/users/`. */
function partOf(request: ContextRequest): string {
  return `${pathOf(request).split('/').slice(0, 3).join('/')}/`;
}

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
