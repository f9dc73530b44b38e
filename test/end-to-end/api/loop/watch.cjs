// Loaded into the process of the api before its own code: says on a socket how long its event loop was held since it was last asked.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { createServer } = require('node:net');
const { setInterval, setTimeout } = require('node:timers');
const { isMainThread } = require('node:worker_threads');

const LOOK_EVERY_MS = 2;
const path = process.env.PROCTOR_TEST_LOOP;

if (isMainThread && path) {
  const delays = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delays.enable();
  let heldMs = 0;
  let before = process.cpuUsage();
  setInterval(() => {
    const now = process.cpuUsage();
    heldMs = Math.max(heldMs, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
  }, LOOK_EVERY_MS).unref();
  createServer((socket) => {
    // A turn later the last turn before this one has been counted.
    setTimeout(() => {
      socket.end(JSON.stringify({ processorMs: heldMs, delayMs: delays.max / 1e6 }));
      delays.reset();
      heldMs = 0;
    }, 3 * LOOK_EVERY_MS);
    socket.on('error', () => undefined);
  })
    .listen(path)
    .unref();
}
