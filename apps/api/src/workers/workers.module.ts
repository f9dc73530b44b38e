import { Room } from '../http/room';
import { WorkersController } from './workers.controller';
import { WorkersService } from './workers.service';

@Room({ controllers: [WorkersController], providers: [WorkersService] })
export class WorkersModule {}
