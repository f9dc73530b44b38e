import { Injectable } from '@nestjs/common';
import { UnknownUser, Users } from '@proctor/database';
import { Refusal } from './refusal';

/** Who decides: an administrator. The name is shown with the decision. */
export interface Administrator {
  userId: number;
  userName: string;
  /** Of the network that they decide from. */
  address?: string | undefined;
}

/** The users who may decide about queues, workers and the runs of others. */
@Injectable()
export class Administrators {
  constructor(private readonly users: Users) {}

  /** @throws UnknownUser, Refusal (forbidden) when the user is disabled or no administrator, DatabaseUnavailable */
  async named(name: string): Promise<Administrator> {
    const user = await this.users.record(name);
    if (!user || user.standing === 'removed') throw new UnknownUser(name);
    if (user.standing === 'disabled') throw new Refusal('forbidden', `${name} is disabled`);
    if (!user.isAdmin) throw new Refusal('forbidden', `${name} is no administrator`);
    return { userId: user.userId, userName: user.name };
  }
}
