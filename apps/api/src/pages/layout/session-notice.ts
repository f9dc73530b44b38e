import { promisify } from 'node:util';
import type { ContextRequest } from '../../http/request-context';
import { type Html, markup } from './html';

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
export function readNotice({ session, method }: ContextRequest): Html | null {
  const text = method === 'GET' ? session?.notice : undefined;
  if (text === undefined) return null;
  delete session.notice;
  return withRunLinks(text);
}

/** A text as HTML in which each `run 12` leads to that run. */
function withRunLinks(text: string): Html {
  const parts = text.split(/\b(run \d{1,16})\b/i).map((part, place) => {
    const isRun = place % 2 === 1;
    return isRun ? markup`<a href="/runs/${part.slice('run '.length)}">${part}</a>` : markup`${part}`;
  });
  return markup`${parts}`;
}
