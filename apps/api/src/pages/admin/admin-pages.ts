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

/** Lets administrators through who are logged in. */
@Injectable()
class AdminPagesGuard implements CanActivate {
  /** @throws Problem 303 to the login for a browser that is not logged in, 403 for anybody else */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    if (requireLogin(request).isAdmin) return true;
    throw new Problem(403, 'This is for administrators.');
  }
}

/** For each controller of pages for administrators, or of the data that they are made of. */
export const AdminPages = ({ isData = false } = {}): ClassDecorator =>
  isData
    ? UseGuards(AdminPagesGuard)
    : applyDecorators(UseGuards(AdminPagesGuard), UseInterceptors(PageInterceptor));

/** Makes a refusal a page that says what was wrong and leads back. */
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

/** For each handler that a form of these pages is sent to. */
export const AdminForm = (...form: Parameters<typeof Form>): MethodDecorator =>
  applyDecorators(UseInterceptors(RefusedFormInterceptor), Form(...form));

/** The page of a part, such as `/admin/users/`. */
function partOf(request: ContextRequest): string {
  return `${pathOf(request).split('/').slice(0, 3).join('/')}/`;
}

/** What an action did, where no other page shows it. */
export interface Notice {
  title: string;
  lead: string;
  /** What is shown this once. */
  secret?: string;
  back: string;
}

export function notice(data: Notice): Page {
  return { template: 'admin/done', data };
}
