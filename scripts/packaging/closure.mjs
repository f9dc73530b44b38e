// What a program needs at run time: which apps and libs of dist, and which packages of node_modules.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** `require('…')` and `import('…')`, as SWC writes them. */
const IMPORTS = /\b(?:require|import)\(\s*["'`]([^"'`$]+)["'`]\s*\)/g;
/** Imports that only tests use. */
const TESTING = /\/testing$|\.spec\.js/;

/**
 * @param {string} root the project, built; without a slash at its end
 * @param {string[]} apps names of apps
 * @param {Set<string>} left packages that are not wanted, with all that only they need
 * @returns {{ parts: Set<string>, packages: Set<string> }} folders relative to the root: those of dist that the apps import, and those
 * of node_modules
 */
export function closure(root, apps, left) {
  const parts = new Set(apps.map((app) => `dist/apps/${app}`));
  const packages = new Set();
  for (const part of parts) {
    for (const file of filesOf(join(root, part)).filter((name) => name.endsWith('.js'))) {
      for (const [, wanted] of readFileSync(file, 'utf8').matchAll(IMPORTS)) {
        if (wanted.startsWith('.')) parts.add(partOf(root, resolve(dirname(file), wanted)));
        else if (!isBuiltin(wanted)) addPackage({ root, left, packages }, root, nameOf(wanted));
      }
    }
  }
  return { parts, packages: new Set([...packages].map((folder) => relative(root, folder))) };
}

/** The files below a folder of dist, without those that only tests need. */
export function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (TESTING.test(path)) return [];
    return entry.isDirectory() ? filesOf(path) : [path];
  });
}

/** `dist/apps/api` of a file below it. */
function partOf(root, file) {
  return relative(root, file).split(sep).slice(0, 3).join('/');
}

function nameOf(wanted) {
  return wanted
    .split('/')
    .slice(0, wanted.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Adds a package and its dependencies, peers included.
 * @throws Error if it is not installed, unless `mayMiss` is true
 */
function addPackage(found, from, name, mayMiss = false) {
  if (found.left.has(name) || name.startsWith('@types/')) return;
  const folder = folderOf(found.root, from, name);
  if (folder === null && !mayMiss) throw new Error(`${name} is not installed, for ${from}: npm ci`);
  if (folder === null || found.packages.has(folder)) return;
  found.packages.add(folder);
  const { dependencies, optionalDependencies, peerDependencies } = manifestOf(folder);
  const optional = { ...optionalDependencies, ...peerDependencies };
  for (const wanted of Object.keys({ ...dependencies, ...optional }))
    addPackage(found, folder, wanted, wanted in optional);
}

/** The folder in which Node finds a package: the nearest one above the importing module; null if there is none. */
function folderOf(root, from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (folder === root) return null;
  }
}

export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
