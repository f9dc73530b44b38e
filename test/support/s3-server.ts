import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Credentials } from '@proctor/store';
import { CommandFailed } from '@libs/embedded/src/command';
import { findFreePort } from '@libs/embedded/src/free-port';
import type { OwnedProcess } from '@libs/embedded/src/owned-process';
import { startServer } from '@libs/embedded/src/server-process';
import { CephPrograms } from './ceph-programs';

const ADMINISTER_TRIES_MAX = 5;
const STOP_PATIENCE_MS = 5_000;
const MEMORY_BYTES = 2 * 1024 ** 3;

/** A real S3 server: Ceph's gateway on a cluster of one monitor and one object daemon that keeps all in memory. */
export class S3Server {
  readonly credentials: S3Credentials = { accessKeyId: 'proctor-test', secretAccessKey: randomUUID() };
  private readonly daemons: OwnedProcess[] = [];

  private constructor(
    private readonly folder: string,
    private readonly programs: CephPrograms,
    private readonly monitorPort: number,
    private readonly port: number,
  ) {}

  static async start(): Promise<S3Server> {
    const shared = process.env['PROCTOR_TEST_FOLDER'];
    if (!shared) throw new Error('PROCTOR_TEST_FOLDER names no folder');
    const programs = await CephPrograms.in(join(shared, 'ceph'));
    const folder = await mkdtemp(join(shared, 's3-'));
    const server = new S3Server(folder, programs, await findFreePort(), await findFreePort());
    try {
      await server.launch();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Stops the server; its data is lost. */
  async stop(): Promise<void> {
    for (const daemon of this.daemons.reverse()) await daemon.stop('SIGTERM', STOP_PATIENCE_MS);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async launch(): Promise<void> {
    const cluster = randomUUID();
    const store = randomUUID();
    await this.configure(cluster);
    const monitors = join(this.folder, 'monitors');
    const here = `[v1:127.0.0.1:${this.monitorPort}]`;
    await this.programs.run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', here, monitors]);
    await this.run('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', monitors]);
    await this.start('ceph-mon', ['-i', 'a']);
    await this.administer(['osd', 'new', store]);
    await this.administer(['osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=here']);
    await mkdir(join(this.folder, 'osd'));
    await this.run('ceph-osd', ['--mkfs', '-i', '0', '--osd-uuid', store]);
    await this.start('ceph-osd', ['-i', '0']);
    const { accessKeyId, secretAccessKey } = this.credentials;
    const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
    await this.run('radosgw-admin', ['user', 'create', '--uid=test', '--display-name=test', ...keys]);
    await this.start('radosgw', ['-n', 'client.gateway'], () => this.answers());
  }

  private get configured(): string[] {
    return ['--conf', join(this.folder, 'ceph.conf')];
  }

  private run(name: string, args: string[]): Promise<string> {
    return this.programs.run(name, [...this.configured, ...args]);
  }

  /** A message from before the cluster's number is known may be refused; to send it twice changes nothing. */
  private async administer(args: string[], triesLeft = ADMINISTER_TRIES_MAX): Promise<void> {
    try {
      await this.programs.administer([...this.configured, ...args]);
    } catch (error) {
      if (!(error instanceof CommandFailed) || triesLeft <= 1) throw error;
      await this.administer(args, triesLeft - 1);
    }
  }

  /**
   * Starts a daemon. By default the call does not wait until it is ready, because programs that need a daemon wait
   * themselves; only clients of the gateway do not.
   */
  private async start(name: string, args: string[], isReady = () => Promise.resolve(true)): Promise<void> {
    const daemon = await startServer({
      name,
      ...this.programs.daemon(name, [...this.configured, '-f', ...args]),
      user: null,
      folder: this.folder,
      logPath: join(this.folder, `${name}.out`),
      isReady,
    });
    this.daemons.push(daemon);
  }

  private answers(): Promise<boolean> {
    return fetch(this.endpoint).then(
      (response) => response.ok,
      () => false,
    );
  }

  /** Everybody who reaches the monitor may do anything: it listens at the loopback address only. */
  private async configure(cluster: string): Promise<void> {
    const settings = {
      fsid: cluster,
      'mon host': `v1:127.0.0.1:${this.monitorPort}`,
      'ms bind msgr2': false,
      'public addr': '127.0.0.1',
      'auth cluster required': 'none',
      'auth service required': 'none',
      'auth client required': 'none',
      'run dir': this.folder,
      'admin socket': '',
      'log file': join(this.folder, '$name.log'),
      'mon data': join(this.folder, 'mon'),
      'osd data': join(this.folder, 'osd'),
      // The daemon would say where it is before it knows the cluster's number, and at times be refused: we say it.
      'osd crush update on start': false,
      'osd class update on start': false,
      'osd objectstore': 'memstore',
      'memstore device bytes': MEMORY_BYTES,
      // One copy on one daemon, and no waiting for others to agree: it starts in seconds.
      'osd pool default size': 1,
      'osd pool default min size': 1,
      'osd pool default pg num': 1,
      'osd pool default pgp num': 1,
      'osd pool default pg autoscale mode': 'off',
      'osd crush chooseleaf type': 0,
      'mon allow pool size one': true,
      'paxos propose interval': 0.02,
      'paxos min wait': 0.01,
      'rgw frontends': `beast endpoint=127.0.0.1:${this.port} tcp_nodelay=1`,
      ...this.programs.plugins,
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
    await writeFile(join(this.folder, 'ceph.conf'), `[global]\n${lines.join('')}`);
  }
}
