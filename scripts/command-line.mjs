// Writes docs/command-line.md from the commands as they are built.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ensureBuilt, root } from './built.mjs';

ensureBuilt();
const require = createRequire(import.meta.url);
const { createProgram } = require(`${root}/dist/apps/cli/src/program.js`);
const { commandLinePage } = require(`${root}/dist/apps/cli/src/reference/markdown.js`);
const { listCommands } = require(`${root}/dist/apps/cli/src/reference/tree.js`);
writeFileSync(`${root}/docs/command-line.md`, commandLinePage(listCommands(createProgram())));
