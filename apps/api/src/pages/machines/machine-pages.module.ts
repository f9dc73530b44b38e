import { Room } from '../../http/room';
import { QueuePagesController } from './queue-pages.controller';
import { QueuesPage } from './queues-page.service';
import { WorkerPagesController } from './worker-pages.controller';
import { WorkersPage } from './workers-page.service';

@Room({ controllers: [QueuePagesController, WorkerPagesController], providers: [QueuesPage, WorkersPage] })
export class MachinePagesModule {}
