import type { Actor, User } from '@proctor/database';
import type { Request } from 'express';
import { networkOf } from '../http/network-of';

/** The user of a request, as an entry of the audit log has it. */
export function actorOf({ userId, name: userName }: User, request: Request): Actor {
  return { userId, userName, address: networkOf(request.ip ?? '') };
}
