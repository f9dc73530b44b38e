import { type Imports, ImportUnderWay } from '@proctor/database';
import { EXIT, Failure } from '../failure';
import { withDatabase } from '../own-servers';

/** @throws Failure while another import goes on */
export async function withImports(work: (imports: Imports) => Promise<void>): Promise<void> {
  try {
    await withDatabase(({ imports }) => imports.alone(() => work(imports)));
  } catch (error) {
    if (!(error instanceof ImportUnderWay)) throw error;
    throw new Failure(error.message, EXIT.tryLater, 'Type it again when that has ended.');
  }
}
