import type { Clock } from '@proctor/clock';
import type { StatusReply, StatusRequest } from '@proctor/contracts';

/** The maximum number of pages. A dispatcher remembers at most 10,000 workers, and a page has some hundreds of them. */
const PAGES_MAX = 100;
/** No page is requested later than this after the first one. */
const PAGES_MS = 3_000;

/**
 * Requests the status of a dispatcher page by page, and joins the pages.
 * @returns null if the first page is not answered; with `more` if pages are missing
 */
export async function wholeStatus(
  requestPage: (request: StatusRequest) => Promise<StatusReply | null>,
  clock: Clock,
): Promise<StatusReply | null> {
  const startMs = clock.now();
  const whole = await requestPage({});
  for (let pages = 1; whole?.more && pages < PAGES_MAX && clock.now() - startMs < PAGES_MS; pages += 1) {
    const page = await requestPage({ after: whole.more });
    if (!page) break;
    whole.queues.push(...page.queues);
    whole.workers.push(...page.workers);
    if (page.more) whole.more = page.more;
    else delete whole.more;
  }
  return whole;
}
