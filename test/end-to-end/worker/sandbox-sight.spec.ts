import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { expectNothing, expectOnlyWhatIsKnown } from './sight-expectations';
import { SightStage } from './sight-stage';
import { openMachine, type TestMachine } from './test-machine';

jest.setTimeout(600_000);

let stage: SightStage;
let machine: TestMachine;

beforeAll(async () => {
  stage = await SightStage.open();
});
afterEach(async () => machine?.close());
afterAll(() => stage?.close());

// The other backends: test/acceptance/sight.spec.ts.
it('a test that has left its testbed of unshare sees nothing of any deployment and reaches no service', async () => {
  machine = await stage.machine('unshare');
  const seen = await stage.look(machine, 'unshare');
  expectNothing(seen, stage, machine);
  await expectOnlyWhatIsKnown(seen, stage, machine, 'unshare');
  const others = ['/srv/of-another', '/usr/bin/of-another', `${machine.workPath}/results/of-another`];
  const more = { ...seen, paths: others.map((path) => `f${path}`) };
  expect(await stage.strays(more, machine, 'unshare')).toEqual(others);
  expect(stage.hiddenOnes(more, machine)).toEqual([`f${others[2]}`]);
  expect([...seen.sockets, ...seen.abstract]).toEqual([]);
  // What is to be seen is found: the look reaches beyond the testbed.
  expect(seen.found).toEqual([['shown', stage.shown]]);
});

it('has the real credentials and addresses in its hands, which let this machine itself in', async () => {
  const [worker] = stage.users;
  const authenticator = nkeyAuthenticator(Buffer.from(worker!.seed));
  const connection = await connect({ servers: worker!.url, authenticator });
  await connection.close();
  for (const port of stage.guesses.ports) {
    const socket = createConnection({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    socket.destroy();
  }
  const socket = createConnection({ path: `\0${stage.abstract}` });
  await once(socket, 'connect');
  socket.destroy();
});

it('does not see credentials that take the place of others while a test goes on', async () => {
  machine = await openMachine({ visiblePaths: [stage.folder] }, undefined, stage.hidden);
  const folder = await machine.sandboxes.createFolder('rotation');
  const script = 'until [ -s "$1" ]; do sleep 0.1; done; cat "$3" >&2 && ! cat "$2" >&2';
  const command = ['sh', '-c', script, 'sh', join(folder.output, 'go'), stage.credentials, stage.shown];
  const sandbox = await machine.sandboxes.start(folder, {
    command,
    network: 'private',
    tmpfsBytes: 1024 * 1024,
  });
  await stage.rotate();
  await writeFile(join(folder.output, 'go'), 'go', { mode: 0o644 });
  expect(await sandbox.ended).toEqual({ code: 0 });
  expect(await readFile(folder.errors, 'utf8')).toMatch(/^a-file-that-was-shown-\S+\ncat: .*\n$/);
});
