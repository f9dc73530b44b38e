import { isIP } from 'node:net';
import { IsArray, IsNotEmpty, IsString, Matches, ValidateBy } from 'class-validator';
import { InSchema } from './in-schema';
import { together } from './rules';

/**
 * An address on other sites, with placeholders in braces.
 * @param begins allowed beginnings
 * @param names allowed placeholders
 * @param needed the placeholder that it must have; without it the address would always be the same
 */
export function UrlTemplate(begins: string[], names: string[], needed?: string): PropertyDecorator {
  const part = `[^\\s"'<>{}]|\\{(${names.join('|')})\\}`;
  const template = new RegExp(`^(${begins.join('|')})(${part})+$`);
  const isWhole = (text: string): boolean =>
    template.test(text) && (needed === undefined || text.includes(`{${needed}}`));
  return together([
    InSchema({ type: 'string', pattern: template.source }),
    ValidateBy({
      name: 'urlTemplate',
      validator: {
        validate: (text: unknown) => typeof text === 'string' && isWhole(text),
        defaultMessage: () =>
          `it begins with ${begins.join(' or ')}, has neither spaces nor quotes, and in braces no other names than ${names.join(', ')}${needed === undefined ? '' : `; it needs {${needed}}`}`,
      },
    }),
  ]);
}

/** The address on which a process listens: a name of this machine, or one of its addresses. */
export function ListeningHost(): PropertyDecorator {
  const isHost = (text: string): boolean =>
    isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
  return together([
    InSchema({ type: 'string', pattern: '^[A-Za-z0-9:][A-Za-z0-9.:%-]*$' }),
    ValidateBy({
      name: 'listeningHost',
      validator: {
        validate: (text: unknown) => typeof text === 'string' && isHost(text),
        defaultMessage: () => 'it is a host name or an IP address, without scheme and port',
      },
    }),
  ]);
}

/** A path of a file or folder. */
export function Path(): PropertyDecorator {
  return together([
    IsString(),
    IsNotEmpty(),
    Matches(/^\P{Cc}*$/u, { message: '$property must be a path without control characters' }),
  ]);
}

/** The rules of `IsUrl` for the address of a service. No request sends a fragment. */
export const SERVICE_URL = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  disallow_auth: true,
  allow_fragments: false,
};

/** A list of addresses and networks, as `10.0.0.1`, `10.0.0.0/8`, `fd00::/8` or `loopback`. */
export function ProxyList(): PropertyDecorator {
  const rules = [
    InSchema({ items: { type: 'string' } }),
    IsArray(),
    ValidateBy({
      name: 'proxies',
      validator: {
        validate: (list: unknown) => Array.isArray(list) && list.every(isProxy),
        defaultMessage: () => 'each proxy is an IP address, a network as 10.0.0.0/8, or loopback',
      },
    }),
  ];
  return together(rules);
}

/** A list of addresses and networks without `loopback`. */
export function NetworkList(): PropertyDecorator {
  const rules = [
    InSchema({ items: { type: 'string' } }),
    IsArray(),
    ValidateBy({
      name: 'networks',
      validator: {
        validate: (list: unknown) =>
          Array.isArray(list) && list.every((each) => each !== 'loopback' && isProxy(each)),
        defaultMessage: () => 'each entry is an IP address, or a network as 10.0.0.0/8',
      },
    }),
  ];
  return together(rules);
}

function isProxy(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0) return text === 'loopback';
  const bitsMax = family === 4 ? 32 : 128;
  return rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax));
}
