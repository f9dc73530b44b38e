/** What the machine lacks and the command or setting that helps, as one sentence. */
export class Unusable extends Error {}

/** Why `work` rejected as Unusable; null when it did not. @throws any other rejection */
export async function whyUnusable(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    throw error;
  }
}
