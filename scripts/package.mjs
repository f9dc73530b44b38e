// `npm run package`: builds the Debian packages, their source package, and the index with which apt can use the folder
// as a source.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt, root as project } from './built.mjs';
import { manifestOf } from './packaging/closure.mjs';
import { copyrightFile } from './packaging/copyright.mjs';
import { indexFolder } from './packaging/index-folder.mjs';
import { nodePackage } from './packaging/node-package.mjs';
import { output, requirePrograms, run } from './packaging/programs.mjs';
import { makeTrees, sharesOf } from './packaging/trees.mjs';

const USAGE = `npm run package -- [--out FOLDER] [--version VERSION] [--node LINE [--arch ARCHITECTURE]] [--list]

--out      where the packages go; by default the folder packages
--version  by default that of package.json, followed by the time and the name of the commit
--node     makes the package proctor-node of the newest Node of a line, as 24, instead: for releases without Node 20
--arch     its Debian architecture; by default this machine's
--list     only prints, as JSON, which files of dist and node_modules each package would have`;

const root = resolve(project);
const options = {
  out: { type: 'string', default: join(root, 'packages') },
  version: { type: 'string' },
  node: { type: 'string' },
  arch: { type: 'string' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};
/** The parts of deploy/debian that belong to the source package; the packages install the rest. */
const SOURCE = ['control', 'rules', 'source', 'tests'];
const PER_PACKAGE = /^proctor(-server|-worker)?\.[\w-]+$/;

const { values } = parseArgs({ options });
if (values.help) {
  console.log(USAGE);
} else if (values.list) {
  ensureBuilt();
  console.log(JSON.stringify(sharesOf(root)));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-package-'));
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  try {
    const made = values.node === undefined ? packages(folder) : nodePackage(folder, values.node, values.arch);
    for (const name of made) cpSync(join(folder, name), join(out, name));
    indexFolder(out);
    for (const name of made) console.log(join(out, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the names of the files that were made in the folder */
function packages(folder) {
  requirePrograms({ dh: 'debhelper', 'dpkg-buildpackage': 'dpkg-dev' });
  ensureBuilt();
  const seconds = commitTime();
  const version = values.version ?? `${manifestOf(root).version}${commitSuffix()}`;
  const source = join(folder, `proctor-${version}`);
  const debian = join(source, 'debian');
  mkdirSync(debian, { recursive: true });
  const shipped = makeTrees(root, source, version);

  const from = join(root, 'deploy/debian');
  for (const name of readdirSync(from))
    if (SOURCE.includes(name) || PER_PACKAGE.test(name))
      cpSync(join(from, name), join(debian, name), { recursive: true });
  cpSync(join(root, 'deploy/systemd/proctor-server.sysusers'), join(debian, 'proctor-server.sysusers'));
  const maintainer = `${process.env.DEBFULLNAME ?? 'Proctor'} <${process.env.DEBEMAIL ?? 'root@localhost'}>`;
  const control = readFileSync(join(from, 'control'), 'utf8');
  writeFileSync(join(debian, 'control'), control.replace('@MAINTAINER@', maintainer));
  writeFileSync(join(debian, 'changelog'), changelog(version, maintainer, seconds));
  writeFileSync(join(debian, 'copyright'), copyrightFile(shipped));

  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) };
  run('dpkg-buildpackage', ['--unsigned-source', '--unsigned-changes', '--source-option=-z2'], {
    cwd: source,
    env,
  });
  return readdirSync(folder).filter((name) => name.startsWith('proctor') && name !== `proctor-${version}`);
}

function changelog(version, maintainer, seconds) {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  const says = 'See /usr/share/doc/proctor/CHANGELOG.md.gz.';
  return `proctor (${version}) unstable; urgency=medium\n\n  * ${says}\n\n -- ${maintainer}  ${date}\n`;
}

/** Later commits make later versions. */
function commitSuffix() {
  const said = output('git', ['log', '-1', '--date=format-local:%Y%m%d.%H%M%S', '--format=+git%cd.%h'], {
    cwd: root,
    env: { ...process.env, TZ: 'UTC' },
  });
  return said ?? '';
}

/**
 * The time of the last commit in seconds since 1970, so that two builds of the same sources are equal; without git, the
 * current time.
 */
function commitTime() {
  return Number(output('git', ['log', '-1', '--format=%ct'], { cwd: root }) ?? Math.floor(Date.now() / 1000));
}
