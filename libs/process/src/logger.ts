import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { inspect } from 'node:util';
import { escapeText, escapeLine, escapeValue } from './escape-text';
import { logFields } from './log-fields';

/** The log of a class; a Nest Logger is one. */
export interface Log {
  log(message: string): void;
  warn(message: string): void;
}

/** Contexts of the framework's own start; only their warnings and errors are logged. */
const FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/**
 * One line per event: the time, the level unless it is `log`, the part that writes it, the message. The lines of a
 * stack follow.
 */
class LineLogger extends ConsoleLogger {
  protected override formatMessage(
    level: LogLevel,
    message: unknown,
    _pid: string,
    _level: string,
    context: string,
  ): string {
    const time = new Date().toISOString().slice(11, 23);
    const grade = level === 'log' ? '' : `${level.toUpperCase()} `;
    return `${time} ${grade}${escapeLine(context)}${this.stringifyMessage(message, level)}\n`;
  }

  /** Escapes what others wrote in the message. */
  protected override stringifyMessage(message: unknown, _level: LogLevel): string {
    const text = escapeValue(this.resolveMessage(message));
    return typeof text === 'string'
      ? text
      : escapeLine(inspect(text, { breakLength: Infinity, compact: true }));
  }

  /** Indented, so that no line of it looks like a line of the log. */
  protected override printStackTrace(stack?: string): void {
    if (!stack) return;
    const lines = escapeText(stack).split('\n');
    process.stderr.write(lines.map((line) => `${line.replace(/^(?! {4})/, '    ')}\n`).join(''));
  }

  protected override formatContext(context: string): string {
    return context ? `${context}: ` : '';
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!isFramework(rest)) super.log(message, ...rest);
  }
}

class JsonLogger extends ConsoleLogger {
  constructor() {
    super({ json: true });
  }

  /** Adds the fields of the running work; a line's own fields win. Text from outside is escaped. */
  protected override getJsonLogObject(...line: Parameters<ConsoleLogger['getJsonLogObject']>) {
    return escapeValue({ ...logFields(), ...super.getJsonLogObject(...line) }) as ReturnType<
      ConsoleLogger['getJsonLogObject']
    >;
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!isFramework(rest)) super.log(message, ...rest);
  }
}

function isFramework(rest: unknown[]): boolean {
  const context = rest.at(-1);
  return typeof context === 'string' && FRAMEWORK.has(context);
}

/** The logger of a process, to standard output: lines for people, or one JSON object a line when PROCTOR_LOG=json. */
export function processLogger(env: NodeJS.ProcessEnv = process.env): ConsoleLogger {
  return env['PROCTOR_LOG'] === 'json' ? new JsonLogger() : new LineLogger({ colors: false });
}
