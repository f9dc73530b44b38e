import { Room } from '../../http/room';
import { DocumentController } from './api-doc.controller';

@Room({ controllers: [DocumentController] })
export class ApiDocModule {}
