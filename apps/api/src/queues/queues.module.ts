import { Room } from '../http/room';
import { QueuesController } from './queues.controller';
import { QueuesService } from './queues.service';

@Room({ controllers: [QueuesController], providers: [QueuesService] })
export class QueuesModule {}
