// The second half of `npm start`: builds what changed, then runs `proctor start` in this same process, so that npm's signals reach it.
// As `engines` of package.json; of a line that is not named here, every version will do.
const OLDEST_MINOR = { 20: 19, 22: 13, 24: 11 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || minor < (OLDEST_MINOR[major] ?? 0)) {
  console.error(
    `proctor: Node ${process.versions.node} is too old: 20.19, 22.13 or 24.11, or later, is needed`,
  );
  process.exit(1);
}

const { builtOrExit } = await import('./built.mjs');
const seconds = builtOrExit();
if (seconds !== null) console.log(`built … ${seconds.toFixed(1)} s`);

process.argv.splice(2, 0, 'start');
await import('../dist/apps/cli/src/main.js');
