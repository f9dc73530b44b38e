import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from './programs.mjs';

/** Makes a folder of packages a source for apt: `deb [trusted=yes] file:FOLDER ./`. */
export function indexFolder(folder) {
  const index = { Packages: 'dpkg-scanpackages', Sources: 'dpkg-scansources' };
  for (const [name, program] of Object.entries(index)) {
    const args = name === 'Packages' ? ['--multiversion', '.'] : ['.'];
    const text = run(program, args, { cwd: folder });
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  }
}
