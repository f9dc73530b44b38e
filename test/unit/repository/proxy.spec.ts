import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority } from '@test/support/certificates';
import { checkedByHaproxy } from '@test/support/haproxy';

const CERTIFICATE = '/etc/haproxy/tls/proxy.pem';

let folder: string;
let text: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-proxy-'));
  const authority = await Authority.make(folder, 'ca');
  const { certificate, key } = await authority.sign('server', 'DNS:localhost');
  const pem = join(folder, 'proxy.pem');
  await writeFile(pem, (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')));
  const template = await readFile(join(__dirname, '../../../deploy/proxy/haproxy.cfg'), 'utf8');
  text = template.replace(CERTIFICATE, pem);
  expect(text).not.toBe(template);
});
afterAll(() => rm(folder, { recursive: true }));

/** @returns what HAProxy says of the text as its configuration */
async function outputOf(configuration: string): Promise<string> {
  const path = join(folder, 'haproxy.cfg');
  await writeFile(path, configuration);
  return checkedByHaproxy(path);
}

it('HAProxy takes the configuration of the proxy, and has nothing to say against it', async () => {
  const words = await outputOf(text);
  expect(words).toContain('Configuration file is valid');
  expect(words).not.toMatch(/warning|alert/i);
});

it('HAProxy names a mistake in the configuration of the proxy', async () => {
  await expect(outputOf(text.replace('option forwardfor', 'option forwadfor'))).rejects.toThrow(/forwadfor/);
});
