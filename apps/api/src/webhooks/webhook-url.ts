/** The present services of this deployment, as `host:port`; no webhook may lead there. */
export type OwnServices = () => ReadonlySet<string>;

/** The injection token of OwnServices. */
export const OWN_SERVICES = Symbol('own services');

const URL_LENGTH_MAX = 1_000;

/**
 * Why events cannot be sent to an address; null if they can. The addresses of its name are checked when an event is
 * sent.
 * @param mayBeHttp whether the deployment allows http
 */
export function whyNoWebhook(text: string, mayBeHttp: boolean, own: OwnServices): string | null {
  if (text.length > URL_LENGTH_MAX) return `it has more than ${URL_LENGTH_MAX} characters`;
  if (!URL.canParse(text) || /[\s\\]/.test(text)) return 'it is no address';
  const { protocol, username, password, hostname, hash } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && mayBeHttp))
    return mayBeHttp ? 'it begins with neither https:// nor http://' : 'it does not begin with https://';
  if (username !== '' || password !== '') return 'it holds a user or a password';
  if (hash !== '') return 'it has a fragment';
  if (hostname === '') return 'it names no host';
  if (own().has(hostAndPort(text))) return 'it is of this service itself';
  return null;
}

/** The host and port of a URL, with the default port. */
export function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const usual: Record<string, string> = {
    'http:': '80',
    'https:': '443',
    'postgres:': '5432',
    'postgresql:': '5432',
    'nats:': '4222',
    'tls:': '4222',
  };
  return `${hostname.replace(/\.$/, '').toLowerCase()}:${port === '' ? (usual[protocol] ?? '') : port}`;
}

/**
 * The host and port of each server of an address, which may name several: `postgres://u:p@a,b:5433/db`,
 * `nats://a,nats://b`.
 */
export function addressesIn(urls: string): string[] {
  return urls.split(/,(?=[a-z]+:\/\/)/i).flatMap((url) => {
    const [, scheme = '', authority = ''] = /^([a-z]+:\/\/)([^/?#]*)/i.exec(url) ?? [];
    const servers = authority.slice(authority.lastIndexOf('@') + 1).split(',');
    return servers
      .map((server) => `${scheme}${server}`)
      .flatMap((each) => (URL.canParse(each) ? [hostAndPort(each)] : []));
  });
}
