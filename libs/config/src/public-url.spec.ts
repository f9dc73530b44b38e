import { ConfigurationFolder } from '@test/support/configuration-folder';
import { loadConfiguration } from './load';
import { basePathOf } from './public-url';

const folder = new ConfigurationFolder();

async function loaded(url: string): Promise<string | undefined> {
  await folder.write('proctor.yaml', `api:\n  publicUrl: "${url}"\n`);
  return (await loadConfiguration(folder.env)).server.publicUrl;
}

it.each([
  ['https://ci.example', 'https://ci.example', ''],
  ['https://ci.example/', 'https://ci.example', ''],
  ['HTTPS://CI.Example:443/ci/', 'https://ci.example/ci', '/ci'],
  ['http://ci.example:80/', 'http://ci.example', ''],
  ['https://ci.example:8443/a/b', 'https://ci.example:8443/a/b', '/a/b'],
  ['http://[::1]:8080/ci', 'http://[::1]:8080/ci', '/ci'],
  ['http://[0:0::1]/', 'http://[::1]', ''],
  ['https://b\u00fccher.example/CI', 'https://xn--bcher-kva.example/CI', '/CI'],
])('the public address %s is loaded as %s, with the path %j', async (text, url, path) => {
  expect(await loaded(text)).toBe(url);
  expect(basePathOf(url)).toBe(path);
});
