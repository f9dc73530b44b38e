// A worker that sends whatever it may, as fast as nats-server takes it. The parent names the flood.
const { Buffer } = require('node:buffer');
const { readFileSync } = require('node:fs');
const { connect, headers, nkeyAuthenticator } = require('@nats-io/transport-node');

const [credentialsPath, arch] = process.argv.slice(2);
const { name, url, seed } = JSON.parse(readFileSync(credentialsPath, 'utf8'));

const KIB = 1024;
const CONNECTIONS = 3;
const BATCH_BYTES = 4 * KIB * KIB;
const BATCH_MAX = 2_000;

const REQUESTS = ['lease', 'renew', 'return'].map((kind) => `proctor.rpc.${arch}.${name}.${kind}`);
let sent = 0;
const request = () => REQUESTS[(sent += 1) % REQUESTS.length];
const report = (kind) => `proctor.report.${arch}.${name}.${kind}.${(sent += 1)}.1.1`;

const nested = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const filled = (bytes, part) => `{"unknown":[${Array(Math.floor(bytes / (part.length + 1))).fill(part)}]}`;
const NESTED = '{"a":{"b":[1,2,3]}}';
const LONG = filled(960_000, NESTED);
const GREATEST = [filled(500 * KIB, NESTED), JSON.stringify({ unknown: 'x'.repeat(500 * KIB) })];
const DEEP = [`{"testbeds":${nested(400_000)}}`, `{"testbeds":[${Array(1_500).fill(nested(14))}]}`];
const BAD_REPORTS = ['{', `{"files":${nested(10_000)}}`];
const PIECE = Buffer.alloc(128 * KIB, 'x');
const HEADERS = headers();
for (let n = 0; n < 8_000; n += 1) HEADERS.append(`X-${n}`, 'x'.repeat(100));

/** What is sent again and again: subject, payload, headers. */
const FLOODS = {
  'requests of 960 kB': () => [request(), LONG],
  'asks of the greatest length': () => [REQUESTS[0], GREATEST[(sent += 1) % 2]],
  'requests of one byte': () => [request(), '{'],
  'deeply nested requests': () => [request(), DEEP[sent % 2]],
  'requests with thousands of headers': () => [request(), '{}', HEADERS],
  'bad reports': () => [report(sent % 3 === 0 ? 'started' : 'finished'), BAD_REPORTS[sent % 2]],
  'long reports': () => [report('finished'), LONG],
  'log chunks': () => [`proctor.log.${name}.${(sent += 1) % 50}.1.1`, '{"chunk":1,"offset":0,"data":"YQ=="}'],
  'staging pieces': () => [`proctor.staging.${name}.chunk.u${(sent += 1)}`, PIECE],
};

const inbox = `_INBOX.${name}.flood`;
let flood = null;
let answers = {};

async function open() {
  const nc = await connect({
    servers: new URL(url).host,
    inboxPrefix: `_INBOX.${name}`,
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
    maxReconnectAttempts: -1,
  });
  nc.subscribe(inbox, {
    callback: (_, message) => {
      const text = message.string().slice(0, 300).replaceAll(/\d+/g, '#');
      answers[text] = (answers[text] ?? 0) + 1;
    },
  });
  return nc;
}

async function reconnected(nc) {
  for await (const { type } of nc.status()) if (type === 'reconnect') return;
}

async function send(nc, what) {
  while (flood === what) {
    try {
      for (let [bytes, count] = [0, 0]; bytes < BATCH_BYTES && count < BATCH_MAX; count += 1) {
        const [subject, payload, made] = what();
        nc.publish(subject, payload, { reply: inbox, headers: made });
        bytes += payload.length + (made ? 900 * KIB : 0);
      }
      await nc.flush();
    } catch {
      // The server has closed the connection.
      if (nc.isClosed()) return;
      await reconnected(nc);
    }
  }
}

async function main() {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  process.on('disconnect', () => process.exit());
  process.on('message', ({ begin }) => {
    flood = FLOODS[begin] ?? null;
    if (flood) [sent, answers] = [0, {}];
    if (flood) for (const nc of connections) void send(nc, flood);
    else process.send({ sent, answers });
  });
  process.send('ready');
}
void main();
