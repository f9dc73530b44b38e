import { grantOf, type Lease } from '@proctor/contracts';
import type { Row } from '../row';
import { WORKER, WorkerRig } from '../worker-rig';

const LINE_BYTES = 1_000;
const EVERY_MS = 100;
/** How long readers wait for what is missing. */
const PATIENCE_MS = 10_000;

/** Writes lines that begin with their moment, in milliseconds, into the log of its output folder. */
const WRITER = `
use Time::HiRes qw(time sleep);
my ($lines, @rest) = @ARGV;
my $output;
while (@rest) { my $word = shift @rest; $output = $1 || shift @rest if $word =~ /^--output-dir(?:=(.*))?$/ }
open(my $log, '>>', "$output/log") or die;
$log->autoflush(1);
for (1 .. $lines) {
  my $line = sprintf '%.0f ', time * 1000;
  print $log $line, 'x' x (${LINE_BYTES} - 1 - length $line), "\\n";
  sleep ${EVERY_MS / 1000};
}
`;

/** A hundred runs that write a megabyte a second in all, each with one reader. */
export const liveLog: Row = {
  name: 'live-log',
  what: 'live logs of 100 runs of a worker that write 1 MB/s in all, each with one reader',
  against: null,
  figures: [
    { what: 'read of what was written', unit: '', of: 'share', mark: { atLeast: 1 } },
    { what: 'behind, median', unit: 'ms', of: 'p50', mark: null },
    { what: 'behind, 99th percentile', unit: 'ms', of: 'p99', mark: { atMost: 1_000 } },
  ],
  rounds: 3,
  async open(place) {
    const [runs, lines] = [place.size(100, 4), place.size(100, 20)];
    const variants = { writer: ['perl', '-MIO::Handle', '-e', WRITER, String(lines)] };
    const rig = await WorkerRig.start(place, { slots: runs, variants });
    return {
      async measured() {
        const behindMs: number[] = [];
        const readers: Promise<number>[] = [];
        rig.onLease = (lease) => readers.push(readLog(rig, lease, lines * LINE_BYTES, behindMs));
        await rig.execute(runs, 'writer');
        const bytes = (await Promise.all(readers)).reduce((sum, each) => sum + each, 0);
        behindMs.sort((one, other) => one - other);
        return {
          share: bytes / (runs * lines * LINE_BYTES),
          p50: behindMs[Math.floor(behindMs.length / 2)]!,
          p99: behindMs[Math.floor(behindMs.length * 0.99)]!,
        };
      },
      close: () => rig.stop(),
    };
  },
};

/** Reads one live log until it has so many bytes. @returns how many it got; `behindMs` gets the age of each line's beginning */
async function readLog(rig: WorkerRig, lease: Lease, bytesMax: number, behindMs: number[]): Promise<number> {
  const end = new AbortController();
  let patience = setTimeout(() => end.abort(), 6 * PATIENCE_MS);
  let bytes = 0;
  for await (const { data } of rig.api.readLog(WORKER, grantOf(lease), 0, end.signal)) {
    clearTimeout(patience);
    const text = Buffer.from(data, 'base64').toString();
    const now = Date.now();
    for (const [, moment] of text.matchAll(/^(\d{13}) /gm)) behindMs.push(now - Number(moment));
    bytes += text.length;
    if (bytes >= bytesMax) break;
    patience = setTimeout(() => end.abort(), PATIENCE_MS);
  }
  clearTimeout(patience);
  return bytes;
}
