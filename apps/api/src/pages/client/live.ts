import { freshPage, updateSection } from './fresh-page';

/** Changes within this time are shown together. */
const GAP_MS = 500;

/**
 * Keeps the page up to date. When the server reports that it is stale, the page is fetched again, and the sections with
 * `data-live` are updated. Focus, scroll position, opened details and form fields stay as they are.
 * @param onChange is called after each update
 * @returns a function that updates the page
 */
export function followPage(topic: string, onChange: () => void = () => undefined): () => void {
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
    updateTab(fresh);
    onChange();
    // The new page has no topic: it no longer changes.
    if (fresh.body.dataset.follow === undefined) close();
  };
  const refreshSoon = (): void => {
    timer ??= window.setTimeout(() => void refresh().catch(() => undefined), GAP_MS);
  };
  const open = (): void => {
    source = new EventSource(`${document.body.dataset.base ?? ''}/-/live?of=${encodeURIComponent(topic)}`);
    source.addEventListener('stale', refreshSoon);
  };
  const close = (): void => {
    source?.close();
    source = null;
    document.removeEventListener('visibilitychange', follow);
  };
  // A hidden page has no connection; when it is visible again, it is updated.
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
  return refreshSoon;
}

/** The title and the icon have the state, so that a reader sees it while another tab is open. */
function updateTab(fresh: Document): void {
  document.title = fresh.title;
  const [icon, other] = [document, fresh].map((each) =>
    each.querySelector<HTMLLinkElement>('link[rel=icon]'),
  );
  if (icon && other && icon.href !== other.href) icon.replaceWith(other);
}
