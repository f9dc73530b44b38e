import { From } from '../http/shape';
import { runIdsOf } from './run-ids';

export class PublicationRequest {
  @From({ read: runIdsOf, missing: 'it holds ids of runs, separated by commas' })
  run_ids: number[];
}
