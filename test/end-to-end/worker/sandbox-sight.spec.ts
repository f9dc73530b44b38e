import { once } from 'node:events';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { natsClient } from '@test/support/nats-client';
import { until } from '@test/support/until';
import { expectNothing, expectOnlyWhatIsKnown } from './sight-expectations';
import { SightStage } from './sight-stage';
import { prepareImage } from '@test/support/worker-images';
import { openMachine, type TestMachine } from './test-machine';

let stage: SightStage;
let machine: TestMachine;

prepareImage();
beforeAll(async () => {
  stage = await SightStage.open();
});
afterEach(async () => machine?.close());
afterAll(() => stage?.close());

// The other backends: test/acceptance/sight.spec.ts.
it('a test that has left its testbed of unshare sees nothing of any deployment and reaches no service', async () => {
  machine = await stage.machine('unshare');
  const sight = await stage.look(machine, 'unshare');
  expectNothing(sight, stage, machine);
  await expectOnlyWhatIsKnown(sight, stage, machine, 'unshare');
  const others = ['/srv/of-another', '/usr/bin/of-another', `${machine.workPath}/results/of-another`];
  const more = { ...sight, paths: others.map((path) => `f${path}`) };
  expect(await stage.strays(more, machine, 'unshare')).toEqual(others);
  expect(stage.hiddenOnes(more, machine)).toEqual([`f${others[2]}`]);
  expect([...sight.sockets, ...sight.abstract]).toEqual([]);
  // What is to be seen is found: the look reaches beyond the testbed.
  expect(sight.found).toEqual([['shown', stage.shown]]);
});

it('the credentials and addresses that are looked for are real: they let this machine itself in', async () => {
  const [worker] = stage.users;
  const connection = await natsClient(worker!);
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

/**
 * What a sandbox sees of files. One was shown to it, and `change` puts the others into their places while it
 * goes on.
 */
async function seenAfter(change: () => Promise<string[]>): Promise<string> {
  machine = await openMachine({ visiblePaths: [stage.folder] }, undefined, stage.hidden);
  const folder = await machine.sandboxes.createFolder('change');
  const script = 'until [ -s "$1" ]; do sleep 0.1; done; cat "$2"; xargs cat <"$1"';
  const go = join(folder.output, 'go');
  const output = await open(join(folder.output, 'seen'), 'w');
  const sandbox = await machine.sandboxes.start(folder, {
    command: ['sh', '-c', script, 'sh', go, stage.shown],
    network: 'private',
    tmpfsBytes: 1024 * 1024,
    output: output.fd,
  });
  const paths = await change();
  await writeFile(`${go}.new`, paths.join('\n'), { mode: 0o644 });
  await rename(`${go}.new`, go);
  await sandbox.ending;
  await output.close();
  return readFile(join(folder.output, 'seen'), 'utf8');
}

it('a test does not see credentials that take the place of others while a test goes on', async () => {
  const change = () => stage.rotate().then(() => [stage.credentials]);
  expect(await seenAfter(change)).toMatch(/^a-file-that-was-shown-\S+\n$/);
});

it('a test does not see a hidden folder that takes the place of another while a test goes on, nor the other', async () => {
  expect(await seenAfter(() => stage.replaceConfiguration())).toMatch(/^a-file-that-was-shown-\S+\n$/);
});

it('tests on the machine itself have a /tmp each: autopkgtest would take the file of another test for its own', async () => {
  machine = await openMachine({ backends: ['null'] });
  const script =
    'set -C; echo "$1" >/tmp/autopkgtest_script_pid; ls -A /tmp; stat -c %a /tmp; until [ -e "$2" ]; do sleep 0.1; done';
  const start = async (name: string) => {
    const folder = await machine.sandboxes.createFolder(name);
    const [seenFile, go] = [join(folder.output, 'seen'), join(folder.output, 'go')];
    const output = await open(seenFile, 'w');
    const sandbox = await machine.sandboxes.start(folder, {
      command: ['sh', '-ec', script, 'sh', name, go],
      network: 'private',
      tmpfsBytes: 1024 * 1024,
      wholeMachine: true,
      output: output.fd,
    });
    return {
      go,
      seen: () => readFile(seenFile, 'utf8'),
      ended: sandbox.ending.finally(() => output.close()),
    };
  };
  const sandboxes = [await start('one'), await start('other')];
  const haveSeen = async () => {
    const texts = await Promise.all(sandboxes.map(({ seen }) => seen()));
    return texts.every((text) => text === 'autopkgtest_script_pid\n1777\n');
  };
  expect(await until(haveSeen)).toBe(true);
  for (const { go } of sandboxes) await writeFile(go, '');
  for (const { ended } of sandboxes) await ended;
});
