import type { Actor, User } from '@proctor/database';
import type { Request } from 'express';
import { networkOf } from '../http/network-of';

/** Who decides by a request, as it is written down. */
export function actorOf({ userId, name: userName }: User, request: Request): Actor {
  return { userId, userName, address: networkOf(request.ip ?? '') };
}
