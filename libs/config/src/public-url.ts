import { ValidateBy } from 'class-validator';
import { InSchema } from './in-schema';
import { together } from './rules';

/** Segments that browsers and proxies neither resolve nor decode. */
const PATH = /^(\/[\w~-][\w.~-]*)*\/?$/;

/** First segments of the service's own paths: behind a proxy that removes the address's path they would be ambiguous. */
const OWN_SEGMENTS = new Set(
  '- admin api assets compare data doc experiments favicon.ico health mail notes packages robots.txt runs search status style triggers user'.split(
    ' ',
  ),
);

const RULE =
  'is an address as https://ci.example.org or https://example.org/ci: http or https, without user, query and fragment, and with a path of plain words that do not begin like the addresses of the service';

/** The address at which clients reach the service; it may have a path. */
export function PublicUrl(): PropertyDecorator {
  return together([
    InSchema({ type: 'string', pattern: '^https?://[^?#@]+$' }),
    ValidateBy({
      name: 'publicUrl',
      validator: {
        validate: (text: unknown) => typeof text === 'string' && isPublicUrl(text),
        defaultMessage: () => RULE,
      },
    }),
  ]);
}

function isPublicUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const path = text.replace(/^https?:\/\/[^/]*/i, '');
  const [, first = ''] = path.split('/');
  return PATH.test(path) && !OWN_SEGMENTS.has(first);
}

/** One way to write each address, as browsers do: `HTTPS://CI.example:443/ci/` is `https://ci.example/ci`. */
export function normalize(publicUrl: string): string {
  const { origin, pathname } = new URL(publicUrl);
  return origin + pathname.replace(/\/$/, '');
}

/** The path below which clients see the service: `/ci` of `https://example.org/ci`; empty for the whole of a host. */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/^\/$/, '');
}
