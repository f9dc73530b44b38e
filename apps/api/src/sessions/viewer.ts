import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { RunReader, User } from '@proctor/database';
import type { RequestContext } from '../http/request-context';

/** The reader of a page: an unknown person, a user, or an administrator. */
export class Viewer {
  static readonly ANONYMOUS = new Viewer(null, null);

  constructor(
    /** Null: not logged in. */
    readonly user: User | null,
    /** What each form must send as `form_token`; null where there is no session. */
    readonly formToken: string | null,
  ) {}

  get isAdmin(): boolean {
    return this.user?.isAdmin ?? false;
  }

  /** Which runs they may see: see `maySee`. */
  get reader(): RunReader {
    return this.user ? { everything: this.isAdmin, userName: this.user.name } : {};
  }
}

/** The parameter of a page's handler that says who looks at it. */
export const CurrentViewer = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Viewer =>
    context.switchToHttp().getRequest<RequestContext>().viewer ?? Viewer.ANONYMOUS,
);

declare module '../http/request-context' {
  interface RequestContext {
    /** The viewer of a page; absent on other routes. */
    viewer?: Viewer;
  }
}
