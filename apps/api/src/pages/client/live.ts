import { freshPage, updateSection } from './fresh-page';

/** Changes that come thick and fast are shown together. */
const GAP_MS = 500;

/**
 * Follows what the page shows: when the server says that it is stale, the page is fetched again, and each section that is
 * marked by `data-live` takes over what has changed. Focus, scroll position, opened details and what was filled in stay.
 */
export function followPage(topic: string): void {
  let source: EventSource | null = null;
  let timer: number | undefined;

  const refresh = async (): Promise<void> => {
    timer = undefined;
    const fresh = await freshPage(document.body.dataset.address ?? location.href);
    if (!fresh) return;
    for (const section of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
      const other = fresh.getElementById(section.id);
      if (other) updateSection(section, other);
    }
    // Nothing changes from now on: the page stays as it is.
    if (fresh.body.dataset.follow === undefined) close();
  };
  const open = (): void => {
    source = new EventSource(`${document.body.dataset.base ?? ''}/-/live?of=${encodeURIComponent(topic)}`);
    source.addEventListener('stale', () => {
      timer ??= window.setTimeout(() => void refresh().catch(() => undefined), GAP_MS);
    });
  };
  const close = (): void => {
    source?.close();
    source = null;
    document.removeEventListener('visibilitychange', follow);
  };
  // A page that is not looked at holds no connection; seen again, it is brought up to date.
  const follow = (): void => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      open();
      void refresh().catch(() => undefined);
    }
  };

  document.addEventListener('visibilitychange', follow);
  if (!document.hidden) open();
}
