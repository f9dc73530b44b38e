// `npm run lint` runs it: modules that import each other, directly or over others. ESLint's rule passes imports of
// types by; such a circle too means that none of its modules can be read, moved or tested without the others. So does one that a
// module closes only later, with import().
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './built.mjs';

const PARTS = ['apps', 'libs', 'test'];
const IMPORT = /(?:(?:^|\n)(?:import|export)\s(?:[^'";]*\sfrom\s)?|\bimport\()'(\.[^']*)'/g;

const modules = new Map();
for (const part of PARTS) {
  for (const name of readdirSync(join(root, part), { recursive: true })) {
    if (name.endsWith('.ts')) modules.set(join(root, part, name).slice(0, -'.ts'.length), []);
  }
}
for (const [path, imports] of modules) {
  for (const [, to] of readFileSync(`${path}.ts`, 'utf8').matchAll(IMPORT)) {
    const target = join(dirname(path), to);
    const found = [target, join(target, 'index')].find((each) => modules.has(each));
    if (found) imports.push(found);
  }
}

const done = new Set();
const circles = [];
for (const path of modules.keys()) follow(path, []);
for (const circle of circles) {
  console.error(`circle of imports: ${circle.map((path) => `${relative(root, path)}.ts`).join(' → ')}`);
}
console.log(`${modules.size} modules, ${circles.length} circles of imports`);
process.exitCode = circles.length > 0 ? 1 : 0;

function follow(path, before) {
  const start = before.indexOf(path);
  if (start >= 0) circles.push([...before.slice(start), path]);
  if (start >= 0 || done.has(path)) return;
  for (const next of modules.get(path)) follow(next, [...before, path]);
  done.add(path);
}
