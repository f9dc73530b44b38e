import { Room } from '../../http/room';
import { ErrorPagesController } from './errors.controller';

@Room({ controllers: [ErrorPagesController] })
export class ErrorPagesModule {}
