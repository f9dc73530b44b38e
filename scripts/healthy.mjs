// node scripts/healthy.mjs URL: ends with 0 when the address answers that all is well. For the health checks of containers.
const TIMEOUT_MS = 4_000;

try {
  const response = await fetch(process.argv[2], { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) console.error(`${response.status} ${await response.text()}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.error(`${process.argv[2]}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
