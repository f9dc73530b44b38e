// Bundles the script of the pages: `buildClient(FOLDER)` for other scripts, `node scripts/client.mjs FOLDER` for the tests.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The folder of the script in the compiled api. */
const BESIDE_API = 'apps/api/src/pages/assets';

/** @param out a folder of compiled sources, or null with the folder itself */
export async function buildClient(out, folder = join(root, out, BESIDE_API)) {
  mkdirSync(folder, { recursive: true });
  // Several tests may build it at once: each reader sees a whole file.
  const beside = join(folder, `.client.${process.pid}.js`);
  await build({
    entryPoints: [join(root, 'apps/api/src/pages/client/browser.ts')],
    outfile: beside,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
  renameSync(beside, join(folder, 'client.js'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildClient(null, process.argv[2]);
