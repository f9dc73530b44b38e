import { mkdir } from 'node:fs/promises';
import type { CommandStage } from './command-stage';

const ADMIN = '/api/v1/admin';
const PASSWORD = 'a long enough word\n';

/** What is typed, the route whose answer that is, with its status, and what is typed in. */
type Change = [args: string[], path: string, status: string, input?: string];

const changes = (user: string): Change[] => [
  [['pause', '--reason', 'x'], `${ADMIN}/pause`, '200'],
  [['resume'], `${ADMIN}/resume`, '200'],
  [['worker', 'drain', 'gone', '--reason', 'x'], `${ADMIN}/drain`, '200'],
  [['worker', 'resume', 'gone'], `${ADMIN}/undrain`, '200'],
  [['user', 'add', user, '--password-stdin'], `${ADMIN}/users`, '201', PASSWORD],
  [['user', 'password', user, '--password-stdin'], `${ADMIN}/users/{name}/password`, '200', PASSWORD],
  [['user', 'admin', user], `${ADMIN}/users/{name}/administrator`, '200'],
  [['key', 'create', user, '--name', 'x'], '/api/v1/keys', '201', PASSWORD],
  [['key', 'rotate', user, 'ID'], '/api/v1/keys/{id}/rotate', '200', PASSWORD],
  [['key', 'revoke', 'ID'], `${ADMIN}/keys/{id}/revoke`, '200'],
  [['user', 'disable', user], `${ADMIN}/users/{name}/disable`, '200'],
  [['user', 'enable', user], `${ADMIN}/users/{name}/enable`, '200'],
  [['user', 'remove', user, '--yes'], `${ADMIN}/users/{name}/remove`, '200'],
];

const REGISTER: Change[] = [
  [['worker', 'add', 'made', '--arch', 'ARCH'], `${ADMIN}/workers`, '201'],
  [['worker', 'quarantine', 'made', '--reason', 'x'], `${ADMIN}/quarantine`, '200'],
  [['worker', 'trust', 'made'], `${ADMIN}/trust`, '200'],
  [['worker', 'rotate', 'made'], `${ADMIN}/workers/{name}/rotate`, '200'],
  [['worker', 'revoke', 'made'], `${ADMIN}/workers/{name}/revoke`, '200'],
];

/** What decides or changes something. */
export function testChanges(stage: () => CommandStage, arch: string): void {
  it('commands that change something print with --json what the API answers, and on the machine of the database the same', async () => {
    const home = stage().marks.path('home');
    await mkdir(home);
    const own = {
      PROCTOR_HOME: home,
      PROCTOR_API_KEY: undefined,
      PROCTOR_DATABASE_URL: stage().proctor.databaseUrl,
    };
    const type = async (all: Change[], env: NodeJS.ProcessEnv): Promise<void> => {
      let id = '';
      for (const [args, path, status, input] of all) {
        const words = args.map((word) => word.replace(/^ID$/, id).replace('ARCH', arch));
        const { code, stdout, stderr } = await stage().typed([...words, '--json'], { input, env });
        expect({ words, code, stderr }).toMatchObject({ words, code: 0 });
        const answer = stage().expectAsDocumented('post', path, status, stdout) as { id?: number };
        id = String(answer.id ?? id);
      }
    };
    await type([...changes('beth'), ...REGISTER], {});
    await type(changes('cora'), own);
  });

  it('credentials that are to be in a file alone are no part of an answer', async () => {
    const out = stage().marks.path('credentials.json');
    const command = ['worker', 'add', 'asked', '--arch', arch, '--out', out, '--json'];
    expect(await stage().typed(command)).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringContaining('use one of them') },
    });
  });
}
