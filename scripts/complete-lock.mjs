// Adds to package-lock.json the optional platform packages that npm left out. A registry that serves only this
// platform's packages makes `npm install` write a lock that `npm ci` then refuses ("Missing: ... from lock file").
// The added entries have no hash: they are never fetched here, and a foreign platform fetches them by version.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const packages = lock.packages;

/** os, cpu and libc as npm's platform packages spell them in the last parts of their names. */
function platformOf(name) {
  const tail = name.split('/').pop();
  const os = /(darwin|linux|win32|windows|freebsd|android|openharmony|wasm32|aix|sunos|netbsd|openbsd)/.exec(
    tail,
  )?.[1];
  const cpu = /(x64|arm64|ia32|arm(?!64)|ppc64|s390x|riscv64|loong64|mips64el|wasm32)/.exec(tail)?.[1];
  const libc = /musl/.test(tail) ? 'musl' : /(gnu|glibc)/.test(tail) ? 'glibc' : undefined;
  return {
    ...(os && os !== 'wasm32' ? { os: [os === 'windows' ? 'win32' : os] } : {}),
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(libc && os === 'linux' ? { libc: [libc] } : {}),
  };
}

/** Whether the lock has an entry that Node's look-up from the package at `owner` would find. */
function isLocked(owner, name) {
  for (let folder = owner; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

let added = 0;
for (const [owner, entry] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (owner === '' || isLocked(owner, name)) continue;
    const version = /^\d/.test(range) ? range : range.replace(/^[^\d]*/, '');
    packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(
  Object.entries(packages).sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1)),
);
if (added) writeFileSync(path, JSON.stringify(lock, null, 2) + '\n');
console.log(
  added ? `package-lock.json: ${added} optional platform packages added` : 'package-lock.json is complete',
);
