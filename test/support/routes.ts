import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { ApiModule, ROOMS } from '@apps/api/src/api.module';

/** A handler of a controller, by what a client asks for. */
export interface Route {
  /** The HTTP method: `GET`. */
  method: string;
  /** The path with its parameters: `/api/v1/test/:suite`. */
  path: string;
}

/** The controllers of the api, in the order in which their routes are tried. */
export function controllersOfApi(): Type<object>[] {
  const modules = [ApiModule, ...ROOMS];
  return modules.flatMap((each) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, each) as Type<object>[]);
}

export function routesOf(controller: Type<object>): Route[] {
  const properties = Object.getOwnPropertyDescriptors(controller.prototype as object);
  const handlers = Object.values(properties).map(({ value }) => value as object);
  return handlers
    .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
    .flatMap((handler) => {
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      return pathsOf(controller).flatMap((base) =>
        pathsOf(handler).map((path) => ({ method, path: `/${base}/${path}`.replaceAll(/\/+/g, '/') })),
      );
    });
}

/** The paths of a controller or of a handler. */
function pathsOf(decorated: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, decorated) as string | string[]].flat();
}
