import type { LaunchedNetwork } from './launcher';
import type { RunUser } from './run-user';
import { SpareNetworks } from './spare-networks';

const ids = { start: 100_000, count: 65_536 };
const USER: RunUser = {
  name: 'tester',
  uid: 1001,
  gid: 1001,
  subUids: ids,
  subGids: ids,
  switched: true,
  opensTun: false,
};

/** Networks that are up, or end, when the test says so. */
function networks(countMax: number) {
  const preparations: { up: () => void; fail: () => void; ended: boolean; network: LaunchedNetwork }[] = [];
  const prepareNetwork = (): LaunchedNetwork => {
    let [up, fail, over] = [() => undefined as void, () => undefined as void, () => undefined as void];
    const connected = new Promise<void>((resolve, reject) => {
      up = resolve;
      fail = () => reject(new Error('no tun device'));
    });
    connected.catch(() => undefined);
    const ending = new Promise<void>((resolve) => (over = resolve));
    const stop = () => {
      each.ended = true;
      over();
      return Promise.resolve();
    };
    const network = { connected, ending, stop, number: preparations.length } as unknown as LaunchedNetwork;
    const each = { up, fail: () => (fail(), over()), ended: false, network };
    preparations.push(each);
    return network;
  };
  return { preparations, spare: new SpareNetworks({ prepareNetwork }, countMax) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('a network that is up is given to one sandbox, and another one is made in its place', async () => {
  const { preparations, spare } = networks(2);
  spare.fill(USER);
  expect([preparations.length, spare.claim()]).toEqual([2, null]);
  preparations[1]!.up();
  await settle();
  expect(spare.claim()).toBe(preparations[1]!.network);
  expect(spare.claim()).toBeNull();
  spare.fill(USER);
  expect(preparations).toHaveLength(3);
});

it('a network that cannot be made, or has ended, is not given to a sandbox', async () => {
  const { preparations, spare } = networks(2);
  spare.fill(USER);
  preparations[0]!.fail();
  preparations[1]!.up();
  await settle();
  void preparations[1]!.network.stop();
  await settle();
  expect(spare.claim()).toBeNull();
  spare.fill(USER);
  expect(preparations).toHaveLength(4);
});

it('the networks that no sandbox has are ended, and those that have one are left', async () => {
  const { preparations, spare } = networks(3);
  spare.fill(USER);
  preparations[0]!.up();
  await settle();
  spare.claim();
  await spare.end();
  preparations[1]!.up();
  await settle();
  expect(preparations.map(({ ended }) => ended)).toEqual([false, true, true]);
  expect(spare.claim()).toBeNull();
});
