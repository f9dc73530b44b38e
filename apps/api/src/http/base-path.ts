import type { Response } from 'express';
import onHeaders from 'on-headers';
import type { ContextRequest } from './request-context';

/*
 * Below a path (`api.publicUrl` is https://example.org/ci), code and templates say the paths of the service as they are without it. Here
 * they are changed, on the way in and on the way out: a link that is added needs no thought of it.
 */

/** The path of the service in a target: a proxy may remove the base path, or leave it. */
function withoutBase(target: string, base: string): string {
  if (!target.startsWith(base)) return target;
  const rest = target.slice(base.length);
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : target;
}

/** Attributes that hold an address, in HTML and for the script of the pages. */
const ADDRESSES = /(\s(?:href|src|action|formaction|data-[a-z-]+)=")\/(?=["?#]|[\w-])/g;

/** A hotkey is no address, and the attribute with the base path has it already. */
const NO_ADDRESS = /^\sdata-(hotkey|base)=/;

/** @param html of our pages: quotes in foreign text are escaped, so that no text looks like an attribute */
export function htmlBelow(base: string, html: string): string {
  if (base === '') return html;
  return html.replace(ADDRESSES, (whole, before: string) =>
    NO_ADDRESS.test(before) ? whole : `${before}${base}/`,
  );
}

/** @param address a path, or an address of another server */
function addressBelow(base: string, address: string): string {
  return address.startsWith('/') && !address.startsWith('//') ? base + address : address;
}

/** Removes the base path from a request, and adds it to the paths in the headers of the answer. */
export function serveBelow(base: string, request: ContextRequest, response: Response): void {
  request.originalUrl = request.url = withoutBase(request.url, base);
  onHeaders(response, () => {
    for (const name of ['Location', 'Content-Location']) {
      const value = response.getHeader(name);
      if (typeof value === 'string') response.setHeader(name, addressBelow(base, value));
    }
    const link = response.getHeader('Link');
    if (typeof link === 'string') response.setHeader('Link', link.replace(/<\/(?!\/)/g, `<${base}/`));
    const cookies = response.getHeader('Set-Cookie');
    if (cookies !== undefined)
      response.setHeader(
        'Set-Cookie',
        [cookies].flat().map((cookie) => String(cookie).replace(/; Path=\/(?=;|$)/i, `; Path=${base}`)),
      );
  });
}
