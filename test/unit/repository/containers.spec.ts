import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from '@proctor/config';
import { type ComposeService, interpolated, readCompose } from '@test/support/compose';
import { knownVariables } from '@test/support/variables';

const project = join(__dirname, '../../..');
/** Every variable that the code reads. */
const variables = knownVariables();
const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');

const compose = readCompose(project);
const services = Object.entries(compose.services);
const own = services.filter(([, { image }]) => image?.startsWith('proctor:'));
/** The services that do not end by themselves. */
const lasting = services.filter(([, { restart }]) => restart !== 'no');
const NAMES = services.map(([name]) => name);
const of = (name: string): ComposeService => compose.services[name]!;

it('docker-compose.yml has two apis behind a proxy, two schedulers, and one image tag for all that is our own', () => {
  expect(NAMES).toEqual(expect.arrayContaining(['postgres', 'nats', 'proxy', 'api', 'scheduler', 'worker']));
  expect([of('api').deploy?.replicas, of('scheduler').deploy?.replicas]).toEqual([2, 2]);
  expect([...new Set(own.map(([, { image }]) => image))]).toHaveLength(1);
  expect(own.filter(([, { build }]) => build !== undefined)).toHaveLength(1);
});

it.each(NAMES)('the service %s has limits and a log that does not grow for ever', (name) => {
  const { deploy, logging } = of(name);
  expect(deploy?.resources.limits.memory).toMatch(/^\d+[mg]$/);
  expect(logging?.options).toEqual({ 'max-size': expect.any(String), 'max-file': expect.any(String) });
});

it.each(lasting.map(([name]) => name))('the service %s says how it is', (name) => {
  const { healthcheck } = of(name);
  expect(healthcheck?.test[0]).toBe('CMD');
  const script = healthcheck?.test.find((word) => word.endsWith('.mjs'));
  if (script) expect(existsSync(join(project, script))).toBe(true);
});

it.each(services.filter(([, { image }]) => !image?.startsWith('proctor:')))(
  'the image of %s is one release of others',
  (_name, { image }) => expect(image).toMatch(/:\d+\.\d+(\.\d+)?-\w+$/),
);

it.each(services)('the service %s waits for what it needs', (_name, { depends_on: needs = {} }) => {
  for (const [other, { condition }] of Object.entries(needs)) {
    const isLasting = lasting.some(([name]) => name === other);
    expect([other, condition]).toEqual([
      other,
      isLasting ? 'service_healthy' : 'service_completed_successfully',
    ]);
  }
});

it.each(own)('the command of %s is there, and it knows the settings', (name, service) => {
  const words = [...(service.entrypoint ?? []), ...(service.command ?? [])];
  const program = words.find((word) => /^(dist|bin)\//.test(word));
  const source = program?.replace(/^dist\/(.*)\.js$/, '$1.ts');
  if (name === 'certificates') expect(words.join(' ')).toContain('deploy/certificate.sh');
  else expect(existsSync(join(project, source ?? 'none'))).toBe(true);
  const unknown = Object.keys(service.environment ?? {}).filter((variable) => !variables.has(variable));
  expect(unknown).toEqual([]);
});

it('no command line holds a password, and only a worker is root and privileged', () => {
  for (const [name, { command = [], entrypoint = [], user, privileged, cap_drop: dropped }] of services) {
    expect([...command, ...entrypoint].join(' ')).not.toMatch(/PASSWORD|SECRET/);
    expect([name, privileged ?? false]).toEqual([name, name === 'worker']);
    if (name !== 'worker' && name !== 'postgres') expect([name, dropped]).toEqual([name, ['ALL']]);
    if (!['worker', 'certificates'].includes(name)) expect([name, user]).toEqual([name, undefined]);
  }
  expect(textOf('Dockerfile')).toMatch(/^USER proctor$/m);
});

it('the volumes that the services name are declared, and the files that they mount are there', () => {
  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => sourceOf(volume)));
  for (const source of sources)
    if (source.startsWith('.')) expect([source, existsSync(join(project, source))]).toEqual([source, true]);
    else expect(Object.keys(compose.volumes)).toContain(source);
  expect(Object.keys(compose.volumes).sort()).toEqual(
    [...new Set(sources.filter((source) => !source.startsWith('.')))].sort(),
  );
});

/** With the default of a variable that is not set. */
function sourceOf(volume: string): string {
  return interpolated(volume, {}).split(':')[0]!;
}

it('the health checks ask where the processes listen', async () => {
  const folder = join(project, 'config/examples/one-machine');
  const { server, scheduler, worker } = await loadConfiguration({ PROCTOR_CONFIG: folder });
  const healthUrlOf = (name: string): string | undefined => of(name).healthcheck?.test.at(-1);
  expect(healthUrlOf('api')).toBe(`http://127.0.0.1:${server.port}/health`);
  expect(healthUrlOf('scheduler')).toBe(`http://127.0.0.1:${scheduler.metrics.port}/health`);
  expect(healthUrlOf('worker')).toBe(`http://127.0.0.1:${worker.metrics.port}/health`);
});

it('the proxy asks the apis of docker-compose.yml whether they are ready, and has the time to see that one ends', async () => {
  const folder = join(project, 'config/examples/one-machine');
  const { server } = await loadConfiguration({ PROCTOR_CONFIG: folder });
  const text = textOf('deploy/proxy/haproxy.cfg');
  const templates = [...text.matchAll(/server-template \S+ (\d+) (\S+) /g)].map(([, ...words]) => words);
  expect(templates).toEqual(Array(2).fill([String(of('api').deploy?.replicas), `api:${server.port}`]));
  expect(text).toMatch(/option httpchk GET \/health\n/);
  expect(text).toMatch(/backend api from apis\n {2}http-check expect status 200\n/);
  const [, interval, fall] = /check inter (\d+)s fall (\d+)/.exec(text)!;
  expect(server.leaveNoticeMs).toBeGreaterThan(Number(interval) * Number(fall) * 1000);
  expect(server.leaveNoticeMs).toBeLessThan(1000 * Number.parseInt(of('api').stop_grace_period!));
  const published = of('proxy').ports?.map((port) => port.split(':').at(-1));
  expect(published?.map((port) => text.includes(`bind :${port} ssl`))).toEqual([true]);
});

it('the paths of the Dockerfile are there, and those of the services agree with it', () => {
  const text = textOf('Dockerfile');
  const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, from]) => from!.split(' '));
  expect(copied.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  const node = /NODE_IMAGE=node:(\d+)-/.exec(text)?.[1];
  expect(Number(node)).toBe(24);
  const home = /PROCTOR_HOME=(\S+)/.exec(text)?.[1];
  for (const name of ['api', 'scheduler', 'worker'])
    expect(of(name).volumes!.some((volume) => volume.endsWith(`:${home}`))).toBe(true);
});
