/**
 * The state that a browser sends by itself, for tests of forms without a browser: cookies, and the page that has the
 * form.
 */
export class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(readonly base: string) {}

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, { headers: { Accept: 'text/html', ...headers } });
  }

  async textOf(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** Sends the form of a page with the values that it has, and these. */
  async submit(page: string, action: string, values: Record<string, string> = {}): Promise<Response> {
    const html = await this.textOf(page);
    const form = formIn(html, action);
    if (form === null) throw new Error(`${page} has no form for ${action}`);
    return this.post(action, { ...hiddenIn(form), ...values });
  }

  async post(
    path: string,
    values: Record<string, string> | FormData,
    headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' },
  ): Promise<Response> {
    const body = values instanceof FormData ? values : new URLSearchParams(values);
    return this.fetch(path, { method: 'POST', body, headers: { Accept: 'text/html', ...headers } });
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = this.header;
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { Cookie: cookie }) };
    const response = await fetch(new URL(path, this.base), { redirect: 'manual', ...init, headers });
    for (const set of response.headers.getSetCookie()) this.keep(set);
    return response;
  }

  /** The value of the header `Cookie`. */
  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  set(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  /** @returns what the login answered */
  logIn(name: string, password: string, next = '/'): Promise<Response> {
    return this.submit(`/user/login?next=${encodeURIComponent(next)}`, '/user/login', { name, password });
  }

  private keep(set: string): void {
    const [pair = '', ...attributes] = set.split(';');
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const valueOf = (key: string) =>
      attributes.find((each) => each.trim().toLowerCase().startsWith(`${key}=`))?.split('=')[1];
    const [age, expires] = [valueOf('max-age'), valueOf('expires')];
    // As RFC 6265 has it: the age wins over the date.
    const isOver = age === undefined ? new Date(expires ?? Infinity) < new Date() : Number(age) <= 0;
    if (value === '' || isOver) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The form that is sent to an address, by itself or by a button; null if the page has none. */
export function formIn(html: string, action: string): string | null {
  const forms = html.match(/<form[^]*?<\/form>/g) ?? [];
  return forms.find((form) => form.includes(`action="${action}"`)) ?? null;
}

/** Names and values of the hidden fields of a form, or of a page up to the end of its main content. */
export function hiddenIn(form: string): Record<string, string> {
  const [before = ''] = form.split('</main>');
  const fields = [...before.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
