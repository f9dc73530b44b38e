import 'reflect-metadata';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { execute } from './execute';
import { say } from './output/print';

// What a command says beside its answer is never worth its end.
surviveLostOutput(process.stderr);
for (const line of settleSurroundings()) say(`warning: ${line}`);
void execute(process.argv.slice(2)).then((code) => process.exit(code));
