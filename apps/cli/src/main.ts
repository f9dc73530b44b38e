import 'reflect-metadata';
import { execute } from './execute';

void execute(process.argv.slice(2)).then((code) => process.exit(code));
