import { startApi } from '../../support/api';
import type { RunningApi } from '../../support/api';
import { connectTo } from '../../support/database';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

const resultOf = async (runId: number): Promise<Json> =>
  (await (await api.api(`/test/${runId}`)).json()) as Json;

describe('the service', () => {
  it('lists the packages that a key may know', async () => {
    await api.submit('only-alice', { is_private: true });
    await api.submit('hello');
    await api.submit('zsh', {}, api.keys.bob);
    const client = await connectTo(api.databaseUrl);
    await client.query(`update packages set backend = 'qemu' where name = 'zsh'`);
    await client.end();
    const list = async (query: string, key?: string): Promise<Json[]> => {
      const response = await api.api(`/packages${query}`, {}, key);
      expect(response.status).toBe(200);
      return (await response.json()) as Json[];
    };
    const names = async (query: string, key?: string) => (await list(query, key)).map(({ name }) => name);
    expect(await list('?backend=qemu')).toEqual([
      { id: expect.any(Number), name: 'zsh', backend: 'qemu', removed: false },
    ]);
    expect(await names('')).toEqual(expect.arrayContaining(['hello', 'only-alice', 'zsh']));
    expect(await names('', api.keys.bob)).toEqual(expect.arrayContaining(['hello', 'zsh']));
    expect(await names('', api.keys.bob)).not.toContain('only-alice');
    expect(await names('?backend=')).not.toContain('zsh');
    expect(await names('?backend')).toEqual(await names('?backend='));
    expect(await names('?backend=no-such')).toEqual([]);
    expect((await api.api('/packages?backend=a&backend=b')).status).toBe(400);
    expect((await api.api('/packages?backend=%00')).status).toBe(400);
    expect(await resultOf(await api.submit('zsh'))).toMatchObject({ backend: 'qemu' });
    expect(await resultOf(await api.submit('zsh', { backend: 'unshare' }))).toMatchObject({
      backend: 'unshare',
    });
  });

  it('tells how long its queues are', async () => {
    for (const isPrivate of [true, false])
      await api.finish(await api.submit('hello', { is_private: isPrivate }));
    const response = await api.api('/queues');
    const queues = (await response.json()) as Json[];
    expect(queues.map(({ suite, arch }) => `${String(suite)}/${String(arch)}`)).toEqual([
      'bookworm/amd64',
      'bookworm/arm64',
      'trixie/amd64',
      'trixie/arm64',
    ]);
    const [busy] = queues;
    expect(busy).toEqual({
      suite: 'bookworm',
      arch: 'amd64',
      waiting: expect.any(Number),
      running: 0,
      oldest_at: expect.stringMatching(/Z$/),
      rate_per_hour: expect.any(Number),
      estimate_seconds: expect.any(Number),
      paused: null,
      reasons: ['no scheduler answers for amd64'],
    });
    expect(busy!.rate_per_hour).toBe(2);
    expect(JSON.stringify(queues)).not.toContain('only-alice');
    expect(response.headers.get('etag')).not.toBeNull();
  });
});
