import type { CurrentKey } from '@proctor/resources';
import { text } from 'node:stream/consumers';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printJson, printTable, printNotice } from '../output/print';
import { readServiceUrl } from '../service/address';
import { Contexts } from '../service/context-file';
import { Service } from '../service/service';
import { readHidden } from '../output/ask';

/**
 * Saves a context after the service has accepted its key. @throws Failure if the service refuses the key or does not
 * answer
 */
export async function addContext(name: string, options: { url: string; keyStdin: boolean }): Promise<object> {
  const url = readServiceUrl(options.url, '--url');
  const contexts = await Contexts.read();
  const key = await typedKey(options.keyStdin, url);
  const service = new Service({ url, key, origin: 'what was typed' });
  const { user } = await service.request<CurrentKey>('/auth');
  await contexts.add(name, { url, key });
  printNotice(`context ${name}: ${url} as ${user}, in ${contexts.path}`);
  if (contexts.current !== name)
    printNotice(`use it with --context ${name}, or: proctor context use ${name}`);
  return { name, url, user };
}

async function typedKey(isOnStdin: boolean, url: string): Promise<string> {
  if (!isOnStdin && !process.stdin.isTTY) {
    throw new Failure('there is no terminal on which to ask for the key', EXIT.usage, 'use --key-stdin');
  }
  const key = (isOnStdin ? await text(process.stdin) : await readHidden('API key: ')).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure('that is no API key', EXIT.key, `get one at ${url}/user/login`);
}

/** @throws Failure if there is no such context */
export async function useContext(name: string): Promise<object> {
  const contexts = await Contexts.read();
  await contexts.use(name);
  const { url } = contexts.find(name);
  printNotice(`speaking to ${url}`);
  return { name, url };
}

export async function listContexts({ json }: OutputOptions): Promise<void> {
  const contexts = await Contexts.read();
  const rows = contexts.all.map(([name, { url }]) => ({ name, url, current: name === contexts.current }));
  if (json) return printJson(rows);
  printTable(
    rows,
    [
      { head: 'NAME', of: ({ name }) => name },
      { head: 'URL', of: ({ url }) => url },
      { head: 'IN USE', of: ({ current }) => (current ? 'yes' : '') },
    ],
    'there are no contexts; add one: proctor context add NAME --url URL',
  );
}

/** @throws Failure if there is no such context */
export async function removeContext(name: string): Promise<object> {
  const contexts = await Contexts.read();
  const wasCurrent = contexts.current === name;
  await contexts.remove(name);
  printNotice(`context ${name} removed`);
  if (wasCurrent) printNotice('no context is in use now; choose one: proctor context use NAME');
  return { name };
}
