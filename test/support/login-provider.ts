import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Browser } from './browser';

/** Subject, name, groups. */
export type Person = [string, string, ...string[]];

/** A real login provider, whose pages let everybody in. */
export class LoginProvider {
  private constructor(
    /** Address that it calls itself by. */
    readonly issuer: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(secret: string, callbackUrl: string): Promise<LoginProvider> {
    const script = join(__dirname, 'login-provider-process.mjs');
    const child = spawn(process.execPath, [script, secret, callbackUrl], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [issuer] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new LoginProvider(issuer, child);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  /** Registers a user: a login with this subject as the name gets these claims. */
  async knows(person: Person): Promise<void> {
    const [sub, name, ...groups] = person;
    const claims = JSON.stringify({ sub, preferred_username: name, groups });
    await fetch(`${this.issuer}/people?claims=${encodeURIComponent(claims)}`);
  }

  /**
   * Logs in like a browser without a session.
   * @param url where the browser was sent
   * @param person null: they turn back
   * @returns where the provider sends it then
   */
  async visit(url: string, person: Person | null): Promise<string> {
    if (person) await this.knows(person);
    const browser = new Browser(this.issuer);
    let response = await browser.get(url);
    for (;;) {
      const location = response.headers.get('location');
      if (location !== null && new URL(location, this.issuer).origin !== this.issuer) return location;
      if (location !== null) response = await browser.get(location);
      else response = await this.answer(browser, await response.text(), person?.[0]);
    }
  }

  private answer(browser: Browser, html: string, login: string | undefined): Promise<Response> {
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) throw new Error(`the provider has no form: ${html.slice(0, 2_000)}`);
    if (login === undefined) return browser.get(`${action}/abort`);
    const prompt = /name="prompt" value="(\w+)"/.exec(html)![1]!;
    return browser.post(action, { prompt, ...(prompt === 'login' && { login, password: 'any' }) });
  }
}
