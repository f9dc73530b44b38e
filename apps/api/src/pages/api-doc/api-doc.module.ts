import { Room } from '../../room';
import { DocumentController } from './api-doc.controller';

@Room({ controllers: [DocumentController] })
export class ApiDocModule {}
