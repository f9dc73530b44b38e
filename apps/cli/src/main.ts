import 'reflect-metadata';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { execute } from './execute';
import { printNotice } from './output/print';

// If messages for people cannot be written, the command goes on.
surviveLostOutput(process.stderr);
for (const line of settleSurroundings()) printNotice(`warning: ${line}`);
const args = process.argv.slice(2);
void execute(args).then((code) => {
  const end = () => setImmediate(() => process.exit(code));
  // An answer is written completely, or its error ends the process. A service ends even if its output is not read.
  if (args[0] === 'start') end();
  else process.stdout.write('', end);
});
