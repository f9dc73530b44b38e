import { applyDecorators, Global, Module } from '@nestjs/common';
import type { Provider, Type } from '@nestjs/common';

interface RoomContents {
  /** In the order of `ROOMS`, routes are tried one after the other. */
  controllers?: Type<object>[];
  providers?: Provider[];
}

/** The module of a room of the api. Every other room can inject its providers. */
export function Room({ controllers = [], providers = [] }: RoomContents): ClassDecorator {
  return applyDecorators(Global(), Module({ controllers, providers, exports: providers }));
}
