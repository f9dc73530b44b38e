import 'reflect-metadata';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { execute } from './execute';
import { printNotice } from './output/print';

// What a command says beside its answer is never worth its end.
surviveLostOutput(process.stderr);
for (const line of settleSurroundings()) printNotice(`warning: ${line}`);
const args = process.argv.slice(2);
void execute(args).then((code) => {
  const end = () => setImmediate(() => process.exit(code));
  // An answer is written to its end, or its error ends the process; a service ends, whether or not its output is read.
  if (args[0] === 'start') end();
  else process.stdout.write('', end);
});
