import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { checkFolder } from './cross-check';
import { FILES, type FileName } from './folder';
import { schemaOf } from './json-schema';
import { loadConfiguration } from './load';

const project = join(__dirname, '../../..');
const examples = join(project, 'config/examples');
const PAGE = readFileSync(join(project, 'docs/configuration.md'), 'utf8');
const ajv = new Ajv({ allErrors: true, formats: { regex: true } });

const paths = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.yaml$/.test(path),
);
const FOLDERS = [...new Set(paths.map((path) => dirname(path)))].sort();

let folder: string;
/** A folder with every program that an example names, as on a worker machine. */
let bin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-examples-'));
  bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'autopkgtest'), '');
  await chmod(join(bin, 'autopkgtest'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

it('there are examples for one machine, a service like that of Debian and a derivative', () => {
  expect(FOLDERS).toEqual(expect.arrayContaining(['debian/server', 'derivative', 'one-machine']));
});

it.each(paths)('the example %s is accepted by the schema that it names', (path) => {
  const text = readFileSync(join(examples, path), 'utf8');
  const file = path.split('/').at(-1) as FileName;
  const schema = join(project, 'docs/schema', file.replace('.yaml', '.schema.json'));
  const relation = relative(dirname(join(examples, path)), schema);
  expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=${relation}`);
  const isValid = ajv.compile(schemaOf(file, PAGE));
  expect([isValid(parse(text)), isValid.errors]).toEqual([true, null]);
});

it.each(FOLDERS)('the example %s is taken, and its names agree', async (name) => {
  const env = { PROCTOR_CONFIG: join(examples, name), PROCTOR_HOME: folder, PATH: bin };
  const { problems, warnings } = await checkFolder(env);
  // A second variant is a checkout that the machine of the tests need not have.
  const other = warnings.filter((line) => !line.includes('/opt/autopkgtest-next/'));
  expect([problems, other]).toEqual([[], []]);
});

const WORKERS = FOLDERS.filter((name) => name.startsWith('debian/worker-'));

it.each(WORKERS)('the example %s agrees with its server', async (name) => {
  const both = await mkdtemp(join(folder, 'both-'));
  for (const part of ['debian/server', name]) await cp(join(examples, part), both, { recursive: true });
  const { warnings } = await checkFolder({ PROCTOR_CONFIG: both, PROCTOR_HOME: folder, PATH: bin });
  const ofOtherWorkers = /another worker must offer it|\/opt\/autopkgtest-next\//;
  expect(warnings.filter((line) => !ofOtherWorkers.test(line))).toEqual([]);
});

it('the workers of the example like Debian serve architectures, backends and variants of the server', async () => {
  const of = (name: string) =>
    loadConfiguration({ PROCTOR_CONFIG: join(examples, name), PROCTOR_HOME: folder });
  const { server } = await of('debian/server');
  expect(server.architectures).toHaveLength(8);
  const workers = await Promise.all(WORKERS.map(of));
  const offered = (key: 'backends' | 'architectures') => [
    ...new Set(workers.flatMap(({ worker }) => worker[key])),
  ];
  expect([...server.backends].sort()).toEqual(offered('backends').sort());
  for (const arch of offered('architectures')) expect(server.architectures).toContain(arch);
  const variants = new Set(workers.flatMap(({ worker }) => Object.keys(worker.variants)));
  expect([...variants].sort()).toEqual([...server.variants].sort());
});

it('the examples have only files that a process reads', async () => {
  for (const name of FOLDERS) {
    const files = await readdir(join(examples, name), { withFileTypes: true });
    const plain = files.filter((entry) => entry.isFile()).map((entry) => entry.name);
    expect(plain.filter((file) => !(FILES as readonly string[]).includes(file))).toEqual([]);
  }
});
