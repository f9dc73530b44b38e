#!/usr/bin/env node
// The command `proctor`, as `npx proctor` finds it; compiles the sources first in a fresh clone.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtOrExit } from '../scripts/built.mjs';

const main = new URL('../dist/apps/cli/src/main.js', import.meta.url);
if (!existsSync(fileURLToPath(main))) builtOrExit();
await import(main.href);
