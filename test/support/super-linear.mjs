// Reads regular expressions from standard input, as literals in JSON, and prints those whose time may grow faster than a text.
import { Linter } from 'eslint';
import regexp from 'eslint-plugin-regexp';
import { text } from 'node:stream/consumers';

const literals = JSON.parse(await text(process.stdin));
const rules = { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' };
const found = new Linter().verify(literals.map((each) => `void ${each};`).join('\n'), {
  plugins: { regexp },
  rules,
});
console.log(JSON.stringify(found.map(({ line, message }) => [literals[line - 1] ?? '', message])));
