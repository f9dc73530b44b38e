import { createSocket, type Socket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { findReceiver } from './receiver-lookup';

const noData = Object.assign(new Error('queryAaaa ENODATA example.org'), { code: 'ENODATA' });

const onFound = jest.fn<void, [string[]]>();

function addressesOf(find: LookupFunction, name: string, all: boolean): Promise<unknown[]> {
  return new Promise((resolve, reject) =>
    find(name, { all }, (error, ...addresses) => (error ? reject(error) : resolve(addresses))),
  );
}

function answering(v4: string[] | Error, v6: string[] | Error): LookupFunction {
  const answer = (value: string[] | Error) =>
    jest.fn(() => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value)));
  return findReceiver(onFound, { resolve4: answer(v4), resolve6: answer(v6) } as never);
}

it.each<[string, string[] | Error, string[] | Error, unknown[]]>([
  ['IPv4 alone', ['192.0.2.1', '192.0.2.2'], noData, ['192.0.2.1', '192.0.2.2']],
  ['IPv6 alone', noData, ['2001:db8::1'], ['2001:db8::1']],
  ['both', ['192.0.2.1'], ['2001:db8::1'], ['192.0.2.1', '2001:db8::1']],
])('a name with %s has these addresses', async (_, v4, v6, expected) => {
  const family = (address: unknown) => (String(address).includes(':') ? 6 : 4);
  const find = answering(v4, v6);
  expect(await addressesOf(find, 'example.org', true)).toEqual([
    expected.map((address) => ({ address, family: family(address) })),
  ]);
  expect(await addressesOf(find, 'example.org', false)).toEqual([expected[0], family(expected[0])]);
  expect(onFound).toHaveBeenLastCalledWith(expected);
});

it('a name without an address fails with what the name server says', async () => {
  await expect(addressesOf(answering(noData, noData), 'example.org', true)).rejects.toBe(noData);
  await expect(addressesOf(answering([], []), 'example.org', true)).rejects.toThrow(/example.org/);
});

it('the machine itself is found without a name server', async () => {
  const find = answering(noData, noData);
  expect(await addressesOf(find, 'localhost', true)).toEqual([[{ address: '127.0.0.1', family: 4 }]]);
  expect(await addressesOf(find, 'hooks.localhost', false)).toEqual(['127.0.0.1', 4]);
});

describe('a name server that is silent about one family', () => {
  const silence = () => new Promise<never>(() => undefined);
  const [v4, v6] = [() => Promise.resolve(['192.0.2.1']), () => Promise.resolve(['2001:db8::1'])];

  it.each([
    ['IPv6', { resolve4: v4, resolve6: silence }, '192.0.2.1'],
    ['IPv4', { resolve4: silence, resolve6: v6 }, '2001:db8::1'],
  ])('delays the addresses of the other for half a second: %s', async (_, nameServers, address) => {
    const clock = new VirtualClock();
    const onEnd = jest.fn();
    void addressesOf(findReceiver(onFound, nameServers as never, clock), 'example.org', true).then(onEnd);
    await clock.runUntil(499);
    expect(onEnd).not.toHaveBeenCalled();
    await clock.runUntil(500);
    expect(onEnd).toHaveBeenCalledWith([[expect.objectContaining({ address })]]);
  });

  it('is waited for while the other has no address', async () => {
    const clock = new VirtualClock();
    let answer!: (addresses: string[]) => void;
    const late = () => new Promise<string[]>((resolve) => (answer = resolve));
    const nameServers = { resolve4: () => Promise.resolve([]), resolve6: late };
    const addresses = addressesOf(findReceiver(onFound, nameServers as never, clock), 'example.org', true);
    await clock.runUntil(5_000);
    answer(['2001:db8::1']);
    expect(await addresses).toEqual([[{ address: '2001:db8::1', family: 6 }]]);
  });

  it('delays nothing when the other answer comes', async () => {
    const clock = new VirtualClock();
    const nameServers = { resolve4: v4, resolve6: () => Promise.reject(noData) };
    const find = findReceiver(onFound, nameServers as never, clock);
    expect(await addressesOf(find, 'example.org', false)).toEqual(['192.0.2.1', 4]);
    expect(clock.now()).toBe(0);
  });
});

describe('a name server that is silent', () => {
  let server: Socket;
  let resolver: Resolver;

  beforeEach(async () => {
    server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
  });
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

  it('lets other look-ups find a name', async () => {
    const questions = new Set<string>();
    const all = new Promise<void>((resolve) =>
      server.on('message', (question) => {
        questions.add(question.subarray(12).toString('latin1'));
        if (questions.size === 64) resolve();
      }),
    );
    let ends = 0;
    const lookups = Array.from({ length: 32 }, (_, number) =>
      addressesOf(findReceiver(onFound, resolver), `hook${number}.example`, true).catch((error: unknown) => {
        ends += 1;
        return error;
      }),
    );
    await all;
    await lookup('localhost');
    expect(ends).toBe(0);
    resolver.cancel();
    for (const error of await Promise.all(lookups)) expect(error).toMatchObject({ code: 'ECANCELLED' });
  });
});
