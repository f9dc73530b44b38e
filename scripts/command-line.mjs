// Writes docs/command-line.md from the commands as they are built.
import { writeFileSync } from 'node:fs';
import { ensureBuilt, root } from './built.mjs';

ensureBuilt();
const { createProgram } = await import(`${root}/dist/apps/cli/src/program.js`);
const { commandLinePage } = await import(`${root}/dist/apps/cli/src/reference/markdown.js`);
const { listCommands } = await import(`${root}/dist/apps/cli/src/reference/tree.js`);
writeFileSync(`${root}/docs/command-line.md`, commandLinePage(listCommands(createProgram())));
