// The package `proctor-node`: the Node that its project builds, for Debian releases whose own is older than 20.19. It
// is installed in a folder of its own and does not affect programs that use the machine's Node.
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestOf } from './closure.mjs';
import { output, run } from './programs.mjs';

/** Debian architecture → as npm calls it. */
const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64', ppc64el: 'ppc64le', s390x: 's390x' };

/** @returns the names of the files that were made in the folder */
export function nodePackage(folder, line, arch = output('dpkg', ['--print-architecture'])) {
  const cpu = ARCHITECTURES[arch];
  if (cpu === undefined)
    throw new Error(`--arch ${arch}: there is a Node for ${Object.keys(ARCHITECTURES).join(', ')}`);
  const name = `node-linux-${cpu}`;
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error('this needs to know where npm is: npm run package');
  const fetched = join(folder, 'fetched');
  run(process.execPath, [npm, 'install', '--prefix', fetched, '--no-save', '--force', `${name}@${line}`]);

  const from = join(fetched, 'node_modules', name);
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'usr/lib/proctor-node/bin'), { recursive: true });
  cpSync(join(from, 'bin/node'), join(tree, 'usr/lib/proctor-node/bin/node'));
  chmodSync(join(tree, 'usr/lib/proctor-node/bin/node'), 0o755);
  mkdirSync(join(tree, 'usr/share/doc/proctor-node'), { recursive: true });
  cpSync(join(from, 'LICENSE'), join(tree, 'usr/share/doc/proctor-node/copyright'));
  const { version } = manifestOf(from);
  mkdirSync(join(tree, 'DEBIAN'));
  writeFileSync(join(tree, 'DEBIAN/control'), control(version, arch));
  run('dpkg-deb', ['--root-owner-group', '-z1', '--build', tree, folder]);
  return readdirSync(folder).filter((file) => file.endsWith('.deb'));
}

function control(version, arch) {
  return `Package: proctor-node
Version: ${version}
Architecture: ${arch}
Maintainer: ${process.env.DEBFULLNAME ?? 'Proctor'} <${process.env.DEBEMAIL ?? 'root@localhost'}>
Section: devel
Priority: optional
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)
Description: Node for Proctor
 The Node that its makers build, for releases of Debian whose own is older
 than 20.19. Only Proctor uses it.
`;
}
