import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parseOneLine, type AptEntry } from '../host-apt/apt-entries';
import type { AptSetting } from '../host-apt/apt-settings';

const TIMEOUT_MS = 10_000;

/** The fields of a release come before its list of files. */
const HEAD_BYTES = 2048;

/** The URLs of the signed indices of an image's sources. */
export function releaseUrls(lines: string[]): string[] {
  const entries = parseOneLine(lines.join('\n')).filter(({ types }) => types.includes('deb'));
  return entries.map(releaseUrl);
}

/** The URL of the signed index of one apt line. */
export function releaseUrl({ uris: [uri = ''], suites: [suite = ''] }: AptEntry): string {
  const base = uri.replace(/(?<!\/)\/+$/, '');
  // A suite that ends in a slash is a folder of its own: sources.list(5).
  return suite.endsWith('/') ? `${base}/${suite}InRelease` : `${base}/dists/${suite}/InRelease`;
}

/**
 * A text that changes when one of the archives of the apt lines publishes something new: the dates of their release
 * files; only the start of each file is fetched. Null when one is not known.
 */
export async function loadArchiveState(lines: string[], settings: AptSetting[]): Promise<string | null> {
  // The age limit replaces a server that does not answer.
  const dateOf = (url: string) => loadReleaseField('Date', url, settings).catch(() => null);
  const dates = await Promise.all(releaseUrls(lines).map(dateOf));
  return dates.length === 0 || dates.includes(null) ? null : dates.join('\n');
}

function proxyOf(url: string, settings: AptSetting[]): string | null {
  const name = `acquire::${url.split(':')[0]}::proxy`;
  const value = settings.find((setting) => setting.name.toLowerCase() === name)?.value ?? 'DIRECT';
  return value === 'DIRECT' ? null : value;
}

/**
 * A field of a release file; null when the file has none, or the server cannot be asked: only http and https can, and
 * no https server behind a proxy.
 * @throws Error when the server does not answer with the file
 */
export async function loadReleaseField(
  name: string,
  url: string,
  settings: AptSetting[],
): Promise<string | null> {
  const proxy = proxyOf(url, settings);
  if (!url.startsWith('http:') && (proxy !== null || !url.startsWith('https:'))) return null;
  const text = await readStart(await request(url, proxy));
  const line = text.split('\n').find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() || null;
}

/** Like apt, it sends each server only the user and password of its own address. */
function request(url: string, proxy: string | null): Promise<IncomingMessage> {
  const target = splitLogin(url);
  const via = proxy === null ? null : splitLogin(proxy);
  const headers = {
    host: target.url.host,
    range: `bytes=0-${HEAD_BYTES - 1}`,
    ...(target.login !== null && { authorization: target.login }),
    ...(via && via.login !== null && { 'proxy-authorization': via.login }),
  };
  const options = { headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const send = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = via
      ? httpRequest(via.url, { ...options, path: target.url.href })
      : send(target.url, options);
    request.once('error', reject);
    request.once('response', resolve);
    request.end();
  });
}

/** Splits an address into one without user and password, and these as a value of the header `Authorization`. */
function splitLogin(address: string): { url: URL; login: string | null } {
  const url = new URL(address);
  const { username, password } = url;
  url.username = url.password = '';
  if (username === '' && password === '') return { url, login: null };
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, login: `Basic ${Buffer.from(text).toString('base64')}` };
}

/**
 * Reads the first part of an answer: a server may send the whole file, but reading stops then. @throws Error if it
 * sends something else
 */
async function readStart(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    if (response.statusCode !== 200 && response.statusCode !== 206) {
      throw new Error(`HTTP status ${response.statusCode}`);
    }
    for await (const chunk of response) {
      text += (chunk as Buffer).toString('latin1');
      if (text.length >= HEAD_BYTES) break;
    }
  } finally {
    response.destroy();
  }
  return text;
}
