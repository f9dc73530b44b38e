import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { project } from '@test/support/command-line';
import { ComposeMachine } from '@test/support/compose-machine';
import { createEmptyDatabase, type TestDatabase } from '@test/support/database';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';

let database: TestDatabase;
let machine: ComposeMachine;
beforeAll(async () => {
  database = await createEmptyDatabase();
  machine = await ComposeMachine.make(database.url);
});
afterAll(async () => {
  await machine.remove();
  await database.drop();
});

const RUN = 'docker compose run --rm cli ';

/** What is to be typed at the command line, in order. */
async function commandsIn(file: string): Promise<string[]> {
  const lines = (await readFile(join(project, file), 'utf8')).split('\n');
  const typed = lines.map((line) => line.replace(/^# +/, '')).filter((line) => line.startsWith(RUN));
  return typed.map((line) => line.slice(RUN.length));
}

it('the services of docker-compose.yml come up one after the other, and what its first lines say can be typed', async () => {
  // In the order in which each waits for the one before.
  expect(await machine.run('migrate')).toMatchObject({ code: 0 });
  for (const time of ['first', 'second']) {
    expect([time, await machine.run('certificates')]).toEqual([time, { code: 0, stdout: '', stderr: '' }]);
    expect([time, await machine.run('nats-users')]).toMatchObject([time, { code: 0 }]);
  }
  const certificate = await stat(machine.path('proxy', '/etc/haproxy/tls/proxy.pem'));
  expect(certificate.mode & 0o777).toBe(0o400);
  if (process.getuid?.() === 0) expect(certificate.uid).toBe(99);
  machine.start('nats');
  await machine.healthy('nats');

  const typed = await commandsIn('docker-compose.yml');
  expect(typed).toHaveLength(2);
  expect((await commandsIn('docs/deployment.md')).slice(0, 2)).toEqual(typed);
  for (const command of await commandsIn('docs/deployment.md')) {
    const words = command.split(' ').map((word) => machine.path('cli', word));
    const { code, stderr } = await machine.run('cli', words);
    expect([command, code, stderr]).toEqual([command, 0, expect.any(String)]);
  }

  // Testbeds are no part of what is tried here.
  const { proctor, worker } = stubConfiguration();
  const metrics = (name: string) => machine.path(name, '127.0.0.1:9102').split(':')[1];
  const ofWorker = { ...worker, name: 'worker1', metrics: { port: Number(metrics('worker')) } };
  await writeFile(join(machine.configuration, 'worker.yaml'), JSON.stringify(ofWorker));
  const scheduler = {
    ...(proctor?.scheduler as object),
    metrics: { port: Number(machine.path('scheduler', ':9101').slice(1)) },
  };
  await writeFile(join(machine.configuration, 'proctor.yaml'), JSON.stringify({ ...proctor, scheduler }));
  expect(proctor?.suites).toEqual([STUB_SUITE]);
  machine.start('api', { PROCTOR_PORT: machine.path('api', ':8080').slice(1) });
  machine.start('scheduler');
  machine.start('worker');
  for (const name of ['api', 'scheduler', 'worker']) await machine.healthy(name);

  const first = await machine.run('cli', ['status']);
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('created a key of admin')]);
  const workers = await machine.run('cli', ['worker', 'list']);
  expect(workers).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^worker1\t/) });
});
