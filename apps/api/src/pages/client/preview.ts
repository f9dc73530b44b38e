import { Idiomorph } from 'idiomorph';

const PAUSE_MS = 400;

/**
 * Updates the preview while the reader fills in a form: the section named by `data-preview` is copied from the page that
 * the preview step of the form returns.
 */
export function previewForm(form: HTMLFormElement): void {
  const section = document.getElementById(form.dataset.preview ?? '');
  if (!section) return;
  let timer: number | undefined;
  let lastQuery = '';
  let request = new AbortController();

  const ask = async (): Promise<void> => {
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
    fields.set('step', 'preview');
    if (fields.toString() === lastQuery) return;
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const headers = { Accept: 'text/html' };
    const response = await fetch(form.action, { method: 'POST', body: fields, headers, signal });
    if (!response.ok) return;
    lastQuery = fields.toString();
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.getElementById(section.id);
    if (!fresh) return;
    // Parts that the reader has opened stay open.
    const beforeAttributeUpdated = (name: string): boolean => name !== 'open';
    void Idiomorph.morph(section, fresh, { callbacks: { beforeAttributeUpdated } });
  };
  const askSoon = (): void => {
    clearTimeout(timer);
    // Show no mistakes while the reader is still filling in the form.
    if (form.matches(':valid')) timer = window.setTimeout(() => void ask().catch(() => undefined), PAUSE_MS);
  };
  form.addEventListener('input', askSoon);
  if (section.hidden) askSoon();
}
