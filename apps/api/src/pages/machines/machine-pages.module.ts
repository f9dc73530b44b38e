import { Room } from '../../http/room';
import { QueuePagesController } from './queue-pages.controller';
import { WorkerPagesController } from './worker-pages.controller';

@Room({ controllers: [QueuePagesController, WorkerPagesController] })
export class MachinePagesModule {}
