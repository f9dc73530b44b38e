// Loaded into a program by NODE_OPTIONS: its wall clock is off by what the file of the program says, in milliseconds, and follows the file.
// The monotonic clock stays that of the machine.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const [, program] = /\/apps\/([a-z]+)\/src\/main\.js$/.exec(process.argv[1] ?? '') ?? [];
const folder = process.env.PROCTOR_TEST_CLOCKS;
if (program !== undefined && folder !== undefined) {
  const RealDate = Date;
  const realNow = Date.now.bind(Date);
  const file = join(folder, program);
  RealDate.now = () => realNow() + Number(readFileSync(file, 'utf8'));
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, own) =>
      Reflect.construct(target, values.length === 0 ? [target.now()] : values, own),
    apply: (target) => new target(target.now()).toString(),
  });
  RealDate.prototype.constructor = globalThis.Date;
}
