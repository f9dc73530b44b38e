import { Logger } from '@nestjs/common';

/** The tests of this file, or of the `describe` around the call, write no log lines. */
export function silenceLog(): void {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });
  afterAll(() => {
    Logger.overrideLogger(['log', 'warn', 'error', 'fatal']);
  });
}
