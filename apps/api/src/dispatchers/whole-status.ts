import type { Clock } from '@proctor/clock';
import type { StatusReply, StatusRequest } from '@proctor/contracts';

/** Most pages of one status. A dispatcher remembers at most 10,000 workers, and a page holds some hundreds of them. */
const PAGES_MAX = 100;
/** No page is asked for after that. */
const PAGES_MS = 3_000;

/**
 * Asks a dispatcher for its status page by page, and joins the pages. Null when the first one is not answered; `more` is set
 * when a later one is not, or there are too many for the time.
 */
export async function wholeStatus(
  ask: (request: StatusRequest) => Promise<StatusReply | null>,
  clock: Clock,
): Promise<StatusReply | null> {
  const begunMs = clock.now();
  const whole = await ask({});
  for (let pages = 1; whole?.more && pages < PAGES_MAX && clock.now() - begunMs < PAGES_MS; pages += 1) {
    const page = await ask({ after: whole.more });
    if (!page) break;
    whole.queues.push(...page.queues);
    whole.workers.push(...page.workers);
    if (page.more) whole.more = page.more;
    else delete whole.more;
  }
  return whole;
}
