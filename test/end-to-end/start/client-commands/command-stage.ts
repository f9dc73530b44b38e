import Ajv2020 from 'ajv/dist/2020';
import { Client } from '@test/support/client';
import { proctorProcess } from '@test/support/command-line';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { Marks, stubConfiguration } from '@test/support/stub';
import { type Finished, typed } from '@test/support/typed-commands';

interface ApiDocument {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

/** All versions of one package are rejected. */
export const REJECTED = { blocked: { '*': { [hostArchitecture()]: { '*': '' } } } };

/** A service, and the program as it is installed at another place: it knows an address and a key. */
export class CommandStage {
  /** Knows the document: what answers refer to is compiled once. */
  private readonly ajv: Ajv2020;

  private constructor(
    readonly proctor: RunningProctor,
    readonly client: Client,
    readonly marks: Marks,
    private readonly api: ApiDocument,
  ) {
    this.ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'document', ...api });
  }

  static async start(): Promise<CommandStage> {
    const marks = await Marks.make();
    const config = { ...stubConfiguration({ retry: { delayMs: 100 } }), rejectList: REJECTED };
    const webhooks = { mayBeHttp: true, allowedNetworks: ['127.0.0.0/8'] };
    Object.assign(config.proctor!, { api: { webhooks } });
    const proctor = await startProctor({ config });
    const client = Client.of(proctor);
    const api = (await (await client.fetch('/api/v1/openapi.json')).json()) as ApiDocument;
    return new CommandStage(proctor, client, marks, api);
  }

  async stop(): Promise<void> {
    await this.proctor.stop();
    await this.marks.remove();
  }

  /** Within this process. */
  typed(args: string[], { input = '', env = {} } = {}): Promise<Finished> {
    return typed(args, this.environment(env), input);
  }

  program(args: string[], { input = '', env = {} } = {}): Promise<Finished> {
    return proctorProcess(args, { env: this.environment(env), input, cwd: this.marks.folder });
  }

  /** @throws what is not as the OpenAPI document says of an answer */
  expectAsDocumented(method: string, path: string, status: string, stdout: string): unknown {
    const answer = this.api.paths[path]![method]!.responses[status] as {
      $ref?: string;
      content?: Record<string, { schema: object }>;
    };
    const pointer = answer.$ref ?? `#/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}`;
    const validate = this.ajv.compile({ $ref: `document${pointer}/content/application~1json/schema` });
    const value: unknown = JSON.parse(stdout);
    expect([value, validate(value) ? null : validate.errors]).toEqual([value, null]);
    return value;
  }

  private environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const own = {
      PROCTOR_URL: this.proctor.url,
      PROCTOR_API_KEY: this.proctor.adminKey,
      PROCTOR_DATABASE_URL: undefined,
      PROCTOR_HOME: undefined,
      XDG_CONFIG_HOME: this.marks.path('configuration'),
    };
    return { ...process.env, ...own, ...more };
  }
}
