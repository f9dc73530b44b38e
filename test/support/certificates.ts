import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const openssl = (...args: string[]) => promisify(execFile)('openssl', args);

const NEW_KEY = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A certificate authority of a test, which signs for servers. */
export class Authority {
  private constructor(
    private readonly folder: string,
    private readonly name: string,
    /** Its own certificate, PEM. */
    readonly certificate: string,
  ) {}

  /** @param folder where the files are kept */
  static async make(folder: string, name: string): Promise<Authority> {
    const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
    await openssl(...NEW_KEY, '-x509', '-subj', `/CN=${name}`, '-keyout', key, '-out', certificate);
    return new Authority(folder, name, await readFile(certificate, 'utf8'));
  }

  /** Path of the file with the certificate. */
  get path(): string {
    return join(this.folder, `${this.name}.pem`);
  }

  /**
   * Signs a certificate for a server that is reached only by these names.
   * @param names as `DNS:localhost` or `IP:127.0.0.1`
   * @returns paths of PEM files
   */
  async sign(server: string, names: string): Promise<{ certificate: string; key: string }> {
    const path = (file: string) => join(this.folder, file);
    const [key, request, certificate] = ['key', 'csr', 'pem'].map((kind) => path(`${server}.${kind}`)) as [
      string,
      string,
      string,
    ];
    await openssl(...NEW_KEY, '-subj', `/CN=${server}`, '-keyout', key, '-out', request);
    await writeFile(path(`${server}.ext`), `subjectAltName=${names}\n`);
    const ca = ['-CA', this.path, '-CAkey', path(`${this.name}.key`), '-CAcreateserial'];
    const names509 = ['-extfile', path(`${server}.ext`)];
    await openssl('x509', '-req', '-in', request, ...ca, ...names509, '-out', certificate);
    return { certificate, key };
  }
}
