import { promisify } from 'node:util';
import type { ContextRequest } from '../../http/request-context';

declare module 'express-session' {
  interface SessionData {
    /** What the last form has done, until a page shows it. */
    notice: string;
  }
}

/** Keeps a sentence for the next page of the session. It is saved now: the browser loads that page at once. */
export async function saveNotice({ session }: ContextRequest, text: string): Promise<void> {
  session.notice = text;
  await promisify(session.save.bind(session))();
}

/** Takes the sentence out of the session. */
export function readNotice({ session, method }: ContextRequest): string | null {
  const text = method === 'GET' ? session?.notice : undefined;
  if (text === undefined) return null;
  delete session.notice;
  return text;
}
