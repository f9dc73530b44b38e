import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderSection } from '@proctor/config';
import { apiConfiguration } from '@test/support/api-configuration';
import { silenceLog } from '@test/support/silent-log';
import { LoginProviders, ProviderAway } from './login-providers';

silenceLog();

let servers: Server[];

afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function providerAt(server: Server, id: string): Promise<ProviderSection> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { id, label: id, issuer, clientId: 'proctor', scopes: ['openid'] } as ProviderSection;
}

it('logins that wait for a provider that hangs do not keep others from another provider', async () => {
  const hanging = createServer();
  const away = createServer((_request, response) => void response.writeHead(404).end());
  servers = [hanging, away];
  const [slow, other] = [await providerAt(hanging, 'slow'), await providerAt(away, 'other')];
  const logins = new LoginProviders(
    apiConfiguration({ login: { providers: [slow, other], providerWaitMs: 60_000 } as never }),
  );
  const begin = (provider: ProviderSection) => logins.startLogin(provider, 'http://127.0.0.1/back');
  const reached = once(hanging, 'request');
  const waiting = Array.from({ length: 4 }, () => begin(slow));
  await reached;
  await expect(begin(slow)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  await expect(begin(other)).rejects.toThrow(ProviderAway);
  hanging.closeAllConnections();
  for (const login of waiting) await expect(login).rejects.toThrow(ProviderAway);
});
